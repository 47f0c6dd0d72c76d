import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Deprecation {
  /** Unix times in milliseconds. */
  since: number
  removedAt: number
  /** Address of what to use instead. */
  successor: string
}

/** What tells that an operation goes (RFC 9745, RFC 8594). */
export function deprecationHeaders({ since, removedAt, successor }: Deprecation) {
  return {
    deprecation: `@${since / 1_000}`,
    sunset: new Date(removedAt).toUTCString(),
    link: `<${successor}>; rel="successor-version"`,
  }
}

/** Route hook: puts them on every answer, errors too. */
export function announce(headersFor: (request: FastifyRequest) => ReturnType<typeof deprecationHeaders>) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ) => {
    reply.headers(headersFor(request))
    done(null, payload)
  }
}
