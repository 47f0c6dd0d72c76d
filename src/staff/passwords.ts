import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { limitConcurrency } from './limit-concurrency.ts'

/** The minimum for argon2id in OWASP's Password Storage Cheat Sheet: 19 MiB (in KiB), 2 passes, 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const TAG_BYTES = 32

/**
 * A PHC string without padding. It contains the cost, so hashes made at another cost can still be verified.
 */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/

/** A hash that matches no password, and takes as long to verify as a stored hash. */
const DUMMY = phc(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES))

/** @returns the hash that the store keeps: a PHC string of argon2id */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return phc(COST, salt, await derive(password, { ...COST, nonce: salt, tagLength: TAG_BYTES }))
}

/**
 * Compares a password with a stored hash.
 *
 * @param stored undefined or null if the account or its password does not exist; the answer then takes as
 * long
 * @throws {ApiError} service_unavailable if too many passwords wait to be verified
 */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(stored ?? DUMMY) ?? []
  if (memory === undefined) throw new Error('a stored password hash has an unknown format')
  const expected = Buffer.from(tag, 'base64')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const nonce = Buffer.from(salt, 'base64')
  const actual = await derive(password, { ...cost, nonce, tagLength: expected.length })
  return timingSafeEqual(actual, expected) && stored !== undefined && stored !== null
}

function phc({ memory, passes, parallelism }: typeof COST, salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
}

/**
 * Each hash takes 19 MiB and one of the four pool threads, which file reads need too. Further hashes wait.
 */
const runInTurn = limitConcurrency(2, 32)

function derive(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  // Keyboards may send different code points for the same text.
  const message = password.normalize('NFKC')
  return runInTurn(
    () =>
      new Promise((resolve, reject) => {
        argon2('argon2id', { ...parameters, message }, (error, tag) => (error ? reject(error) : resolve(tag)))
      }),
  )
}
