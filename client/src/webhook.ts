import type { EventData, EventType } from './schemas.ts'

/** The body of a webhook. Its id is the same each time the service sends it. */
export interface WebhookMessage {
  id: string
  type: EventType | 'webhook.test'
  /** The time of the change (RFC 3339). */
  timestamp: string
  data: EventData & { eventId?: string }
}

/** A request that does not come from the service, or is too old. Answer it with a 4xx. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

export interface WebhookOptions {
  /** How far the time of the request may differ from now. Default 300. */
  toleranceSeconds?: number | undefined
  /** Unix time in milliseconds; for tests. */
  clock?: (() => number) | undefined
}

/** `Headers`, or the headers of a request in Node. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

const PREFIX = 'whsec_'
const TOLERANCE_SECONDS = 300

/**
 * Verifies the signature of a webhook (Standard Webhooks 1.0). While two secrets are valid, the service signs
 * with both.
 * @param body exactly as it arrived
 * @param secret as the service showed it: `whsec_…`
 * @throws {WebhookError} if the signature is wrong, or the request is too old
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS, clock = Date.now }: WebhookOptions = {},
): Promise<WebhookMessage> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('webhook-timestamp is not a time.')
  if (Math.abs(clock() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('The request is too old, or its time is in the future.')
  const signed = join(encode(`${id}.${timestamp}.`), typeof body === 'string' ? encode(body) : body)
  const key = await importKey(secret)
  for (const signature of signatures) {
    const bytes = signature.startsWith('v1,') ? decodeBase64(signature.slice(3)) : undefined
    // Compares in constant time.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed)))
      return { ...JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)), id }
  }
  throw new WebhookError('No signature matches. Check the secret, and that the body is unchanged.')
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookError(`The header ${name} is missing.`)
}

/** @throws {TypeError} for a secret that the service has not made */
function importKey(secret: string) {
  const bytes = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : undefined
  if (!bytes?.length) throw new TypeError('secret must be the text that begins with whsec_')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function join(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
