import type { FastifyReply, FastifyRequest } from 'fastify'

/** Every answer is what its type says, whatever it looks like. */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' }

/** Which pages may read an answer depends on the Origin. */
const VARY = { vary: 'Authorization, Origin' }
/** Of an answer that may come compressed, whether or not this one does (RFC 9110, section 12.5.5). */
const VARY_CODED = { vary: `Accept-Encoding, ${VARY.vary}` }

/** Of an answer that only the caller's own cache may keep, and has to ask about before each use. */
const PRIVATE = { 'cache-control': 'private, no-cache' }
export const PRIVATE_CODED = { ...PRIVATE, ...VARY_CODED }

/** Of an answer that no cache may keep: an error, or one with somebody's personal data. */
export const NO_STORE = { 'cache-control': 'no-store' }

type Done = (error?: Error) => void

/**
 * Whether an answer may come compressed: one to a read that somebody may keep, so no error and none
 * with personal data. Who can put words beside a secret learns it from how small both become together.
 */
export function mayBeCoded({ method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    routeOptions.config?.access !== undefined &&
    reply.getHeader('cache-control') !== NO_STORE['cache-control']
  )
}

/** Hook, before an answer is sent: what depends on its route. Errors have said that nobody may keep them. */
export function addRouteHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: Done,
): void {
  const { access, deprecation } = request.routeOptions.config ?? {}
  reply.headers(NOSNIFF)
  if (access && reply.statusCode < 400) {
    if (!reply.hasHeader('cache-control')) reply.headers(PRIVATE)
    reply.headers(mayBeCoded(request, reply) ? VARY_CODED : VARY)
  }
  if (deprecation) reply.headers(deprecation(request))
  done()
}

/** Hook, before a request is handled: for routes whose answers hold personal data. */
export function keepNothing(_request: FastifyRequest, reply: FastifyReply, done: Done): void {
  reply.headers(NO_STORE)
  done()
}
