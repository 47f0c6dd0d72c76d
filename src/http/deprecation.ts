import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Deprecation {
  /** Unix times in milliseconds. */
  since: number
  removedAt: number
  /** Address of what to use instead. */
  successor: string
}

/** Route hook: tells on every answer, errors too, that the operation goes (RFC 9745, RFC 8594). */
export function announce({ since, removedAt, successor }: Deprecation) {
  const headers = {
    deprecation: `@${since / 1_000}`,
    sunset: new Date(removedAt).toUTCString(),
    link: `<${successor}>; rel="successor-version"`,
  }
  return (
    _request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ) => {
    reply.headers(headers)
    done(null, payload)
  }
}
