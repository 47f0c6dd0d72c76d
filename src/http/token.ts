import { hash, randomBytes } from 'node:crypto'

const BYTES = 32

/** A token: 256 random bits for a cookie or private link, and their hash for the store. */
interface Token {
  token: string
  /** SHA-256, in hexadecimal. */
  hash: string
}

export function newToken(): Token {
  const token = randomBytes(BYTES).toString('base64url')
  return { token, hash: hash('sha256', token) }
}

/** @returns undefined for text that is not a token */
export function hashToken(token: string): string | undefined {
  return /^[A-Za-z0-9_-]{43}$/.test(token) ? hash('sha256', token) : undefined
}
