import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
const PREFIXES = { production: 'adopt_live_', staging: 'adopt_test_' } as const

export type Environment = keyof typeof PREFIXES

const FORM = new RegExp(`^adopt_(?:live|test)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/** A new API key: prefix, 30 random base62 characters (178 bits), and 6 that are their CRC-32. */
export function generateKey(environment: Environment): string {
  const body = PREFIXES[environment] + randomBase62(RANDOM_LENGTH)
  return body + checksum(body)
}

/** Whether a text is a whole key of this environment: refuses typing errors and strangers' keys without a look-up. */
export function isKeyOf(environment: Environment, text: string): boolean {
  if (!text.startsWith(PREFIXES[environment]) || !FORM.test(text)) return false
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

/** What is stored of a key: it has enough random bits that a plain hash is enough (OWASP ASVS 6.5.2). */
export function hashKey(key: string): string {
  return hash('sha256', key)
}

/** With 5.95 bits in each character. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte: above it the first characters would come more often.
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
