import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { foldEmail } from './person.ts'
import { COOKIE_ATTRIBUTES, cookieIn } from './session-cookie.ts'

// A cookie proves that a browser has signed in to an account before. Strangers who try passwords then do not
// lock the account's owner out (OWASP, "device cookies"). The cookie is not a session, contains no address,
// and is not in the store. For each account, it contains the day on which the proof expires, a keyed hash of
// the stored password, and a keyed hash of both and the account.

const NAME = '__Host-browser'
const DAY_MS = 86_400_000
/** A proof expires after this time, or earlier when the password changes. */
const MAX_AGE_DAYS = 90
/** Maximum number of accounts in the cookie. A further account replaces the oldest account. */
const MAX_ACCOUNTS = 10
/** A proof: the expiry day counted from 1970, a hash of the password, and a signature. */
const PROOF = /^(\d{5})([\w-]{11})[\w-]{22}$/

type BrowserRequest = Pick<IncomingMessage, 'headers'>

/**
 * Makes the Set-Cookie header that proves that the browser has signed in to an account.
 *
 * @param account the account, with its stored password hash
 * @param now in Unix milliseconds
 */
export function browserCookie(
  secret: string,
  request: BrowserRequest,
  { email, password }: { email: string; password: string },
  now: number,
): string {
  const terms = `${Math.floor(now / DAY_MS) + MAX_AGE_DAYS}${passwordTag(secret, password)}`
  const others = proofsIn(request).filter((proof) => !isProof(secret, proof, email))
  const proofs = [sign(secret, terms, email), ...others].slice(0, MAX_ACCOUNTS)
  return `${NAME}=${proofs.join('.')}; Max-Age=${(MAX_AGE_DAYS * DAY_MS) / 1_000}; ${COOKIE_ATTRIBUTES}`
}

/**
 * Returns the `passwordTag` of the password with which this browser signed in to the account. Since then, the
 * password may have changed, or the account may have been removed.
 *
 * @param now in Unix milliseconds
 * @returns undefined if the browser has no proof for the account, or an expired proof
 */
export function provenPasswordTag(
  secret: string,
  request: BrowserRequest,
  email: string,
  now: number,
): string | undefined {
  const proof = proofsIn(request).find((proof) => isProof(secret, proof, email))
  const [, day, tag] = PROOF.exec(proof ?? '') ?? []
  return Number(day) * DAY_MS > now ? tag : undefined
}

/** Represents a stored password in the cookie. The tag changes with every change of the password. */
export function passwordTag(secret: string, password: string): string {
  return keyedHash(secret, `password ${password}`).slice(0, 11)
}

function proofsIn(request: BrowserRequest): string[] {
  const parts = cookieIn(request, NAME)?.split('.', MAX_ACCOUNTS) ?? []
  return parts.filter((part) => PROOF.test(part))
}

function isProof(secret: string, proof: string, email: string): boolean {
  return timingSafeEqual(Buffer.from(sign(secret, proof.slice(0, -22), email)), Buffer.from(proof))
}

function sign(secret: string, terms: string, email: string): string {
  return terms + keyedHash(secret, `browser ${terms} ${foldEmail(email)}`).slice(0, 22)
}

function keyedHash(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url')
}
