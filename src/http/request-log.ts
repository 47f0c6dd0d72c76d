import type { FastifyReply, FastifyRequest } from 'fastify'

const KEY = /adopt_(live|test)_[0-9A-Za-z]*/g
const SHOWN_CHARACTERS = 200

/** A path as it may be logged: without the query, and with no key that somebody put into it. */
export function loggablePath(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const shown = path.includes('%') ? withoutHiddenKey(path) : path
  return (shown.includes('adopt_') ? shown.replace(KEY, 'adopt_$1_…') : shown).slice(0, SHOWN_CHARACTERS)
}

/** Decodes until nothing is hidden by percent-encoding; a path that then has no key stays as it is. */
function withoutHiddenKey(path: string): string {
  let [before, plain] = ['', path]
  while (plain !== before) {
    before = plain
    plain = plain.replace(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return plain.search(KEY) < 0 ? path : plain
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
