import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import { NOSNIFF } from './cache-headers.ts'
import type { EarlyHandler } from './connections.ts'
import { type LogRequest, requestId } from './request-log.ts'

/** Headers for pages of other origins, in addition to those that Fetch always allows (section 3.2). */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const REQUEST_HEADERS: readonly string[] = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'If-Unmodified-Since',
  'Prefer',
  'X-Request-Id',
  // Sent by the Petfinder API v2 client in browsers.
  'X-Api-Sdk',
]
const EXPOSED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Link',
  'ETag',
  'Location',
  'X-Request-Id',
  'Idempotent-Replayed',
  'Deprecation',
  'Sunset',
].join(', ')

/** How long a browser may cache a preflight response. No browser accepts a longer time. */
const PREFLIGHT_MAX_AGE = '7200'

const HEADER_NAME = /^[\w-]{1,64}$/
/** The maximum number of requested headers that a preflight grants. Real programs send a few. */
const MAX_REQUESTED = 50

/** Grants our own headers, and the others that the page wants to send, which routes ignore. */
function permissionsFor({ headers }: IncomingMessage): Record<string, string> {
  const requested = String(headers['access-control-request-headers'] ?? '').split(',', MAX_REQUESTED)
  const names = requested.map((name) => name.trim()).filter((name) => HEADER_NAME.test(name))
  const own = new Set(REQUEST_HEADERS.map((name) => name.toLowerCase()))
  const others = names.filter((name) => !own.has(name.toLowerCase()))
  return {
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': [...REQUEST_HEADERS, ...others].join(', '),
    'access-control-max-age': PREFLIGHT_MAX_AGE,
  }
}

const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
}

/** Returns the headers that let a web page read the response; undefined when the page may not read it. */
export type CorsPolicy = (request: IncomingMessage) => Record<string, string> | undefined

/** @param openPaths readable by pages of every origin; one that ends in a slash includes paths under it */
export function createCorsPolicy(
  { corsOrigins }: Pick<Config, 'corsOrigins'>,
  openPaths: ReadonlySet<string>,
): CorsPolicy {
  const allowsAnyOrigin = corsOrigins.includes('*')
  const prefixes = [...openPaths].filter((address) => address.endsWith('/'))
  return ({ headers: { origin }, url = '' }) => {
    // Sends this even without an Origin: a cache may later give the response to a page of another origin.
    if (openPaths.has(url.split('?', 1)[0] ?? '') || prefixes.some((address) => url.startsWith(address)))
      return ANY_ORIGIN
    if (origin === undefined) return undefined
    if (allowsAnyOrigin) return ANY_ORIGIN
    return corsOrigins.includes(origin) ? { ...ANY_ORIGIN, 'access-control-allow-origin': origin } : undefined
  }
}

/**
 * Answers preflights, and lets pages of the allowed origins read every response, also errors. A preflight has
 * no key and is not charged. One from another origin is answered without permission.
 */
export function handleCors(
  { corsOrigins }: Pick<Config, 'corsOrigins'>,
  policy: CorsPolicy,
  logRequest: LogRequest,
): EarlyHandler {
  return (request, response, route) => {
    const headers = policy(request)
    if (isPreflight(request) && (headers || corsOrigins.length > 0)) {
      return answerPreflight(request, response, headers, logRequest)
    }
    for (const name in headers) response.setHeader(name, headers[name] as string)
    route()
  }
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  const requestedMethod = headers['access-control-request-method']
  return method === 'OPTIONS' && headers.origin !== undefined && requestedMethod !== undefined
}

function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  corsHeaders: Record<string, string> | undefined,
  logRequest: LogRequest,
): void {
  const id = requestId(request.headers['x-request-id'])
  const headers = {
    'x-request-id': id,
    ...(corsHeaders && { ...corsHeaders, ...permissionsFor(request) }),
    ...NOSNIFF,
    vary: 'Origin, Access-Control-Request-Headers',
  }
  response.writeHead(204, headers).end()
  logRequest(id, 'OPTIONS', request.url ?? '', 204, 0)
}
