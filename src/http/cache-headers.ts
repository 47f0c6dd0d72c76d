import type { FastifyReply, FastifyRequest } from 'fastify'

/** Stops browsers from guessing another type than Content-Type. */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' }

/** The response depends on the API key. The Origin header decides which web pages may read the response. */
export const VARY = { vary: 'Authorization, Origin' }
/**
 * For all responses that may be compressed, including responses that are sent uncompressed (RFC 9110, section
 * 12.5.5).
 */
const VARY_ENCODED = { vary: `Accept-Encoding, ${VARY.vary}` }

/** Only the caller's own cache may store the response, and must revalidate it before each use. */
const PRIVATE = { 'cache-control': 'private, no-cache' }
export const PRIVATE_ENCODED = { ...PRIVATE, ...VARY_ENCODED }

/** No cache may store the response, because the response is an error or contains personal data. */
export const NO_STORE = { 'cache-control': 'no-store' }

type Done = (error?: Error) => void

/**
 * Checks whether a response may be compressed. This is allowed only for responses to reads that a cache may
 * store. Personal data is never compressed: an attacker who controls a part of the text could guess a secret
 * next to that part from the compressed size (the BREACH attack).
 */
export function mayCompress({ method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    routeOptions.config?.access !== undefined &&
    reply.getHeader('cache-control') !== NO_STORE['cache-control']
  )
}

/** `onSend` hook: adds the headers that depend on the route. Errors already carry `no-store`. */
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
    reply.headers(mayCompress(request, reply) ? VARY_ENCODED : VARY)
  }
  if (deprecation) reply.headers(deprecation(request))
  done()
}

/** `onRequest` hook for routes whose responses contain personal data. */
export function forbidStoring(_request: FastifyRequest, reply: FastifyReply, done: Done): void {
  reply.headers(NO_STORE)
  done()
}
