import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
const PREFIXES = { production: 'adopt_live_', staging: 'adopt_test_' } as const

export type Environment = keyof typeof PREFIXES

const KEY_PATTERN = new RegExp(`^adopt_(?:live|test)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

/** Makes an API key: a prefix, 30 random base62 characters (178 bits), and their CRC-32 in 6 characters. */
export function generateKey(environment: Environment): string {
  const body = PREFIXES[environment] + randomBase62(RANDOM_LENGTH)
  return body + checksum(body)
}

/** Checks the format, the environment and the checksum of a key, so a mistyped key causes no lookup. */
export function isKeyOf(environment: Environment, text: string): boolean {
  if (!text.startsWith(PREFIXES[environment]) || !KEY_PATTERN.test(text)) return false
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

/** Returns the stored hash. A plain SHA-256 is enough for the entropy of a key (OWASP ASVS 6.5.2). */
export function hashKey(key: string): string {
  return hash('sha256', key)
}

/** Random base62 text, with 5.95 bits per character. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    // 248 is a multiple of 62. Higher values would make the first characters of the alphabet more frequent.
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
