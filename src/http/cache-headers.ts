import type { FastifyReply, FastifyRequest } from 'fastify'

/** Every answer is what its type says, whatever it looks like. */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' }

/**
 * Of an answer that only the caller's own cache may keep, and has to ask about before each use. Which pages may
 * read it depends on the Origin.
 */
export const PRIVATE = { 'cache-control': 'private, no-cache', vary: 'Authorization, Origin' }
const VARY = { vary: PRIVATE.vary }

/** Of an answer that no cache may keep: an error, or one with somebody's personal data. */
export const NO_STORE = { 'cache-control': 'no-store' }

type Done = (error?: Error) => void

/** Hook, before an answer is sent: what depends on its route. Errors have said that nobody may keep them. */
export function addRouteHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: Done,
): void {
  const { access, deprecation } = request.routeOptions.config ?? {}
  reply.headers(NOSNIFF)
  if (access && reply.statusCode < 400) reply.headers(reply.hasHeader('cache-control') ? VARY : PRIVATE)
  if (deprecation) reply.headers(deprecation(request))
  done()
}

/** Hook, before a request is handled: for routes whose answers hold personal data. */
export function keepNothing(_request: FastifyRequest, reply: FastifyReply, done: Done): void {
  reply.headers(NO_STORE)
  done()
}
