import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import { type Caller, internalViewOf } from '../http/caller.ts'
import { hashToken } from '../http/token.ts'
import { ACCESS_OF, foldEmail } from './roles.ts'
import { findSession, MAX_SESSION_MS, type OpenSession, SEEN_INTERVAL_MS } from './session.ts'

/** Browsers accept this prefix only over TLS, for this host and for all paths (RFC 6265bis, 4.1.3). */
const NAME = '__Host-session'
/** SameSite=Lax lets links in e-mails keep the session. Forms of other sites come without the cookie. */
const COOKIE_ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

/** The Set-Cookie header of a new session. */
export function sessionCookie(token: string): string {
  return `${NAME}=${token}; Max-Age=${MAX_SESSION_MS / 1_000}; ${COOKIE_ATTRIBUTES}`
}

/** The Set-Cookie header of a sign-out. */
export const CLEAR_SESSION_COOKIE = `${NAME}=; Max-Age=0; ${COOKIE_ATTRIBUTES}`

/** The session token of a request; also undefined if the request has two tokens. */
export const sessionToken = (request: Pick<IncomingMessage, 'headers'>): string | undefined =>
  cookieIn(request, NAME)

/** The value of a cookie; also undefined if the request has two cookies with this name. */
function cookieIn(
  { headers: { cookie } }: Pick<IncomingMessage, 'headers'>,
  name: string,
): string | undefined {
  if (cookie === undefined || !cookie.includes(name)) return undefined
  const pairs = cookie.split(';').map((pair) => pair.trim())
  const [own, ...more] = pairs.filter((pair) => pair.startsWith(`${name}=`))
  return more.length > 0 ? undefined : own?.slice(name.length + 1) || undefined
}

type OriginRequest = Pick<FastifyRequest, 'protocol' | 'host' | 'hostname'>

/** Hosts of this machine, which browsers trust without TLS. */
const LOOPBACK = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i

/** True if a browser accepts the cookie: over TLS, or on this machine. */
export function canSetCookies(request: OriginRequest, config: Config): boolean {
  return ownOrigin(request, config).startsWith('https://') || LOOPBACK.test(request.hostname)
}

export const NEEDS_HTTPS =
  'Signing in needs https, because browsers keep the session cookie only over https. Put a proxy with TLS ' +
  'in front and name it in TRUST_PROXY, or open the console on the machine itself, at localhost.'

/** The origin that the browser used. BASE_URL decides for its host: a proxy may end TLS and not report it. */
function ownOrigin({ protocol, host }: OriginRequest, { origin, baseUrlIsSet }: Config): string {
  const isSet = baseUrlIsSet && new URL(origin).host === host.toLowerCase()
  return isSet ? origin : `${protocol}://${host.toLowerCase()}`
}

/**
 * Refuses a change that does not come from a page of this service. Browsers name the origin of a request, and
 * no page can forge it, so forms need no token.
 * @throws {ApiError} insufficient_access
 */
export function requireSameOrigin(
  request: OriginRequest & Pick<FastifyRequest, 'headers'>,
  config: Config,
): void {
  const { 'sec-fetch-site': site, origin } = request.headers
  // Browsers send Sec-Fetch-Site only over HTTPS and to this machine. Otherwise, Origin shows the page.
  const isOwn = site === undefined ? origin === ownOrigin(request, config) : site === 'same-origin'
  if (isOwn) return
  const message = 'This request did not come from a page of this service. Reload the page and try again.'
  throw new ApiError('insufficient_access', { message })
}

// A cookie proves that a browser has signed in to an account before. Strangers who try passwords then do not
// lock the account's owner out (OWASP, "device cookies"). The cookie is not a session, contains no address,
// and is not in the store. For each account, it contains the day on which the proof expires, a keyed hash of
// the stored password, and a keyed hash of both and the account.

const BROWSER_COOKIE = '__Host-browser'
const DAY_MS = 86_400_000
/** A proof expires after this time, or earlier when the password changes. */
const MAX_AGE_DAYS = 90
/** Maximum number of accounts in the cookie. A further account replaces the oldest account. */
const MAX_ACCOUNTS = 10
/** A proof: the expiry day counted from 1970, a hash of the password, and a signature. */
const PROOF = /^(\d{5})([\w-]{11})[\w-]{22}$/

type BrowserRequest = Pick<IncomingMessage, 'headers'>

/** Makes the Set-Cookie header that proves that the browser has signed in. @param now in Unix milliseconds */
export function browserCookie(
  secret: string,
  request: BrowserRequest,
  { email, password }: { email: string; password: string },
  now: number,
): string {
  const terms = `${Math.floor(now / DAY_MS) + MAX_AGE_DAYS}${passwordTag(secret, password)}`
  const others = proofsIn(request).filter((proof) => !isProof(secret, proof, email))
  const proofs = [sign(secret, terms, email), ...others].slice(0, MAX_ACCOUNTS)
  return `${BROWSER_COOKIE}=${proofs.join('.')}; Max-Age=${(MAX_AGE_DAYS * DAY_MS) / 1_000}; ${COOKIE_ATTRIBUTES}`
}

/**
 * Returns the `passwordTag` of the password with which this browser signed in to the account. Since then, the
 * password may have changed, or the account may have been removed.
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
  const parts = cookieIn(request, BROWSER_COOKIE)?.split('.', MAX_ACCOUNTS) ?? []
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

/** Rate limits of one person, instead of the limits of a plan. Normal use of the console stays far below. */
const LIMITS = { perMinute: 600, perDay: 50_000 } as const

/**
 * Identifies the person who is signed in, by the session cookie. Keys are cached, but sessions are not.
 * Requests of staff are few, and a session that ends in one process must end in all processes with the next
 * request.
 * @returns undefined without a valid session
 * @throws when the store cannot be read
 */
export async function identifyStaff(
  { db, write, clock }: Pick<Context, 'db' | 'write' | 'clock'>,
  request: IncomingMessage,
): Promise<Caller | undefined> {
  const token = sessionToken(request)
  const hash = token === undefined ? undefined : hashToken(token)
  if (hash === undefined) return undefined
  const now = clock()
  const session = await findSession(db, hash, now)
  if (!session) return undefined
  // A person who only reads can continue while the store cannot be written.
  if (now - session.seenAt >= SEEN_INTERVAL_MS)
    await write(changes.touchSession, hash, now).catch(() => undefined)
  return callerOf(session)
}

/** Each person acts through a personal key. A viewer sees the internal notes, which a read key does not. */
function callerOf({ staffId, keyId, name, role, organizationId }: OpenSession): Caller {
  const organization = organizationId ?? undefined
  return {
    kind: 'staff',
    id: keyId,
    access: ACCESS_OF[role],
    view: internalViewOf(organization),
    organizationId: organization,
    staff: { id: staffId, name, role },
    name: `staff:${staffId}`,
    limits: LIMITS,
  }
}
