import type { FastifyReply, FastifyRequest } from 'fastify'

/** Stops browsers from guessing another type than Content-Type. */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' }

/** The response depends on the API key. The Origin header decides which web pages may read the response. */
export const VARY = { vary: 'Authorization, Origin' }
/** For all responses that may be compressed, even if sent uncompressed (RFC 9110, section 12.5.5). */
export const VARY_ENCODED = { vary: `Accept-Encoding, ${VARY.vary}` }

/** Only the caller's own cache may store the response, and must revalidate it before each use. */
export const PRIVATE = { 'cache-control': 'private, no-cache' }
export const PRIVATE_ENCODED = { ...PRIVATE, ...VARY_ENCODED }

/** No cache may store the response, because the response is an error or contains personal data. */
export const NO_STORE = { 'cache-control': 'no-store' }

type Done = (error?: Error) => void

/** `onRequest` hook for routes whose responses contain personal data. */
export function forbidStoring(_request: FastifyRequest, reply: FastifyReply, done: Done): void {
  reply.headers(NO_STORE)
  done()
}
