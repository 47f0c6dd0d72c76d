import type { FastifyReply, FastifyRequest } from 'fastify'

/** A path as it may be logged: without the query, and with no key that somebody put into it. */
export function loggablePath(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const shown = path.includes('adopt_') ? path.replace(/adopt_(live|test)_[0-9A-Za-z]*/g, 'adopt_$1_…') : path
  return shown.slice(0, 200)
}

/** What the log says of a request. @param ms from its arrival to its answer */
export function requestLine(reqId: string, method: string, url: string, status: number, ms: number) {
  return { reqId, method, path: loggablePath(url), status, ms: Math.round(ms * 10) / 10 }
}

/** Hook: one line for each request. */
export function logRequest(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { id, method, url } = request
  request.log.info(requestLine(id, method, url, reply.statusCode, reply.elapsedTime), 'request')
  done()
}
