import { hash, randomBytes } from 'node:crypto'

const BYTES = 32

/** 256 random bits, as a cookie or a private link has them, and as the store knows them. */
export interface Token {
  token: string
  /** SHA-256, in hexadecimal. */
  hash: string
}

export function newToken(): Token {
  const token = randomBytes(BYTES).toString('base64url')
  return { token, hash: hash('sha256', token) }
}

/** @returns undefined for what cannot be one */
export function hashToken(token: string): string | undefined {
  return /^[A-Za-z0-9_-]{43}$/.test(token) ? hash('sha256', token) : undefined
}
