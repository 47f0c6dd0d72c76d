import { createHmac, randomBytes } from 'node:crypto'

// Signatures of deliveries: Standard Webhooks 1.0.0, symmetric signatures.

const PREFIX = 'whsec_'

/** @returns a new secret: a prefix and 32 random bytes in Base64 */
export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64')

interface Message {
  id: string
  /** Unix time in seconds. */
  timestamp: number
  body: string
}

/** Signs a delivery with each secret. @returns its headers */
export function signedHeaders(secrets: readonly string[], { id, timestamp, body }: Message) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
