import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { inLine } from './in-line.ts'

/** What OWASP's Password Storage Cheat Sheet asks of argon2id at least: 19 MiB (in KiB), 2 passes, 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const
const SALT_BYTES = 16
const TAG_BYTES = 32

/** The form of PHC strings, without padding: what was made with another cost can still be verified. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/

/** Takes as long as any other, and fits no password. */
const DUMMY = phc(COST, Buffer.alloc(SALT_BYTES), Buffer.alloc(TAG_BYTES))

/** A password as the store keeps it. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return phc(COST, salt, await derive(password, { ...COST, nonce: salt, tagLength: TAG_BYTES }))
}

/**
 * @param kept undefined or null for somebody who is not there, or has no password: that takes as long
 * @throws {ApiError} service_unavailable when too many wait
 */
export async function verifyPassword(password: string, kept: string | null | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = PHC.exec(kept ?? DUMMY) ?? []
  if (memory === undefined) throw new Error('a password is not kept as this release keeps it')
  const expected = Buffer.from(tag, 'base64')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const nonce = Buffer.from(salt, 'base64')
  const found = await derive(password, { ...cost, nonce, tagLength: expected.length })
  return timingSafeEqual(found, expected) && kept !== undefined && kept !== null
}

function phc({ memory, passes, parallelism }: typeof COST, salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
}

/** Each takes 19 MiB and one of the four threads that files are read with too: the others wait. */
const inTurn = inLine(2, 32)

function derive(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  // The same text typed on another keyboard may have other code points.
  const message = password.normalize('NFKC')
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        argon2('argon2id', { ...parameters, message }, (error, tag) => (error ? reject(error) : resolve(tag)))
      }),
  )
}
