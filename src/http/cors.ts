import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import type { AnswerFirst } from './answer-first.ts'
import { NOSNIFF } from './cache-headers.ts'
import { requestId } from './request-id.ts'
import type { LogRequest } from './request-log.ts'

/** What pages of other origins may send and read beside what browsers always let them (Fetch, 3.2). */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'If-Unmodified-Since',
  'Prefer',
  'X-Request-Id',
  // Of browsers that run the client of the Petfinder API v2.
  'X-Api-Sdk',
].join(', ')
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

/** For how long a browser may remember the answer to a preflight; none remembers it for longer. */
const MAX_AGE_SECONDS = '7200'

const PERMISSIONS = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': REQUEST_HEADERS,
  'access-control-max-age': MAX_AGE_SECONDS,
}

const EVERYBODY = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
}

/** The headers that let the page which sent a request read its answer; undefined when it may not. */
export type ShareWithOrigin = (request: IncomingMessage) => Record<string, string> | undefined

/** @param open addresses that pages of every origin may read; with a slash at the end, all that begin so */
export function shareWithOrigin(
  { corsOrigins }: Pick<Config, 'corsOrigins'>,
  open: ReadonlySet<string>,
): ShareWithOrigin {
  const everybody = corsOrigins.includes('*')
  const begun = [...open].filter((address) => address.endsWith('/'))
  return ({ headers: { origin }, url = '' }) => {
    // Also without an Origin, since caches may give the answer to whoever asks next.
    if (open.has(url.split('?', 1)[0] ?? '') || begun.some((address) => url.startsWith(address)))
      return EVERYBODY
    if (origin === undefined) return undefined
    if (everybody) return EVERYBODY
    return corsOrigins.includes(origin) ? { ...EVERYBODY, 'access-control-allow-origin': origin } : undefined
  }
}

/**
 * Lets pages of the allowed origins read every answer, errors too. Preflights carry no key, and cost none of
 * a caller's requests: one of another origin is answered as well, without the permission.
 */
export function allowOrigins(
  { corsOrigins }: Pick<Config, 'corsOrigins'>,
  share: ShareWithOrigin,
  logRequest: LogRequest,
): AnswerFirst {
  return (request, response, route) => {
    const shared = share(request)
    if (isPreflight(request) && (shared || corsOrigins.length > 0)) {
      return answerPreflight(request, response, shared, logRequest)
    }
    for (const name in shared) response.setHeader(name, shared[name] as string)
    route()
  }
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  const asksFor = headers['access-control-request-method']
  return method === 'OPTIONS' && headers.origin !== undefined && asksFor !== undefined
}

function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  shared: Record<string, string> | undefined,
  logRequest: LogRequest,
): void {
  const id = requestId(request.headers['x-request-id'])
  const headers = {
    'x-request-id': id,
    ...(shared && { ...shared, ...PERMISSIONS }),
    ...NOSNIFF,
    vary: 'Origin',
  }
  response.writeHead(204, headers).end()
  logRequest(id, 'OPTIONS', request.url ?? '', 204, 0)
}
