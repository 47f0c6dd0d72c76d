import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { LONGEST_MS } from './session.ts'

/** With this prefix no browser takes it from another host or path, or without TLS (RFC 6265bis, 4.1.3). */
const NAME = '__Host-session'
/** Lax: who follows a link from an e-mail is signed in, and no other site's form is. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

/** The Set-Cookie of a session that begins. */
export function sessionCookie(token: string): string {
  return `${NAME}=${token}; Max-Age=${LONGEST_MS / 1_000}; ${ATTRIBUTES}`
}

/** The Set-Cookie after a sign-out. */
export const NO_SESSION = `${NAME}=; Max-Age=0; ${ATTRIBUTES}`

/** The token that a request brings; undefined also for two of them. */
export function sessionToken({ headers: { cookie } }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (cookie === undefined || !cookie.includes(NAME)) return undefined
  const pairs = cookie.split(';').map((pair) => pair.trim())
  const [own, ...more] = pairs.filter((pair) => pair.startsWith(`${NAME}=`))
  return more.length > 0 ? undefined : own?.slice(NAME.length + 1) || undefined
}

type Reached = Pick<FastifyRequest, 'protocol' | 'host' | 'hostname'>

/** Names of this machine, which browsers trust without TLS. */
const LOOPBACK = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i

/** Whether a browser keeps the cookie: it comes over TLS, or from this machine. */
export function mayHaveCookies(request: Reached, config: Config): boolean {
  return ownOrigin(request, config).startsWith('https://') || LOOPBACK.test(request.hostname)
}

/** For the page that refuses to sign anybody in. */
export const NEEDS_HTTPS =
  'Nobody can sign in here over plain http: browsers keep the cookie over https alone. Put a proxy with TLS in ' +
  'front, and name it in TRUST_PROXY, or open the console on the machine itself, at localhost.'

/**
 * The origin under which the browser reached the service. What the operator set counts where the host is the
 * same, since a proxy in front may have taken the TLS off without a word.
 */
function ownOrigin({ protocol, host }: Reached, { origin, baseUrlIsSet }: Config): string {
  const isSet = baseUrlIsSet && new URL(origin).host === host.toLowerCase()
  return isSet ? origin : `${protocol}://${host.toLowerCase()}`
}

/**
 * Every change by a cookie has to come from a page of our own. Browsers say where a request comes from, and
 * no page can change what they say; so forms need no token.
 *
 * @throws {ApiError} insufficient_access
 */
export function requireSameOrigin(request: Reached & Pick<FastifyRequest, 'headers'>, config: Config): void {
  const { 'sec-fetch-site': site, origin } = request.headers
  // Over plain http beyond this machine browsers send an Origin alone.
  const isOwn = site === undefined ? origin === ownOrigin(request, config) : site === 'same-origin'
  if (isOwn) return
  const message =
    'This did not come from a page of this service. Open the page again, and send it from there.'
  throw new ApiError('insufficient_access', { message })
}
