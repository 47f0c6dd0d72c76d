import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { MAX_SESSION_MS } from './session.ts'

/**
 * Browsers accept a cookie with this prefix only over TLS, for this host and for all paths (RFC 6265bis,
 * 4.1.3).
 */
const NAME = '__Host-session'
/**
 * SameSite=Lax keeps a person signed in who follows a link from an e-mail. Browsers send the forms of other
 * sites without the cookie.
 */
export const COOKIE_ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

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
export function cookieIn(
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

/**
 * The origin that the browser used. If BASE_URL has the same host, it decides, because a proxy may end TLS
 * and not report it.
 */
function ownOrigin({ protocol, host }: OriginRequest, { origin, baseUrlIsSet }: Config): string {
  const isSet = baseUrlIsSet && new URL(origin).host === host.toLowerCase()
  return isSet ? origin : `${protocol}://${host.toLowerCase()}`
}

/**
 * Refuses a change that does not come from a page of this service. Browsers name the origin of a request, and
 * no page can forge it, so forms need no token.
 *
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
