import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Caller, Limiter, Ruling } from './limiter.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is counted for this request; set by the hook before. */
    caller: Caller
  }
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Of a request that was charged on its way to the router. */
    ruling?: Ruling
  }
}

/** Hook: charges the request to its caller and describes the limit in the answer's headers; 429 when it is used up. */
export function limitRate(limiter: Limiter) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const settle = (ruling: Ruling): void => {
      reply.headers(rateHeaders(ruling))
      // Whose key it is could not be looked up: what counts is that, and not what the address has left.
      done(request.unidentified ? undefined : refusalOf(ruling))
    }
    const ruling = request.raw.ruling ?? limiter.take(request.caller)
    if (ruling instanceof Promise) ruling.then(settle)
    else settle(ruling)
  }
}

/** Contract, section 8.2. */
export function rateHeaders({ limit, remaining, reset }: Ruling): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  }
}

export function refusalOf({ outcome, retryAfter, lost }: Ruling): ApiError | undefined {
  if (lost !== undefined) return new ApiError('service_unavailable', { cause: lost })
  if (outcome === 'allowed') return undefined
  const code = outcome === 'banned' ? 'api_key_banned' : 'rate_limit_exceeded'
  return new ApiError(code, { headers: { 'retry-after': String(retryAfter) } })
}
