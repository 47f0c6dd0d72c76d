import type { FastifyReply, FastifyRequest } from 'fastify'
import pino, { type DestinationStream, type Logger } from 'pino'

/** Without its first letter, which may seem to end an encoding: `%4` and a hidden `a` make a `J`. */
const KEY = /dopt_(live|test)_[0-9A-Za-z]*/g
/** Addresses that open something for whoever has them: of a link of the staff, and of an application. */
const OPENING = /^(\/+(?:console\/join|applications)\/).+/s
const SHOWN_CHARACTERS = 200

/** A path as it may be logged: without the query, with no key that somebody put into it, opening nothing. */
export function loggablePath(url: string): string {
  const end = url.indexOf('?')
  // What is decoded again and again is short.
  const path = url.slice(0, end < 0 ? SHOWN_CHARACTERS : Math.min(end, SHOWN_CHARACTERS))
  const shown = path.includes('%') ? withoutHidden(path) : path
  const closed = OPENING.test(shown) ? shown.replace(OPENING, '$1…') : shown
  return closed.includes('dopt_') ? closed.replace(KEY, 'dopt_$1_…') : closed
}

/** Decodes until nothing is hidden by percent-encoding; a path that then hides nothing stays as it is. */
function withoutHidden(path: string): string {
  let [before, plain] = ['', path]
  while (plain !== before) {
    before = plain
    plain = plain.replace(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return plain.search(KEY) < 0 && !OPENING.test(plain) ? path : plain
}

const STREAM: typeof pino.symbols.streamSym = pino.symbols.streamSym

/** @param id as `requestId` makes it @param ms from the request's arrival to its answer */
export type LogRequest = (id: string, method: string, url: string, status: number, ms: number) => void

/**
 * One line for each request, just as the logger would write it, and put together here: that saves 1.5 to
 * 2.8 µs of the 28 that a cached answer takes.
 */
export function requestLog(logger: Logger): LogRequest {
  if (!logger.isLevelEnabled('info')) return () => undefined
  const { [STREAM]: stream } = logger as unknown as { [STREAM]: DestinationStream }
  const level = logger.levels.values.info
  return (id, method, url, status, ms) => {
    const path = JSON.stringify(loggablePath(url))
    stream.write(
      `{"level":${level}${pino.stdTimeFunctions.epochTime()},"reqId":"${id}","method":"${method}",` +
        `"path":${path},"status":${status},"ms":${Math.round(ms * 10) / 10},"msg":"request"}\n`,
    )
  }
}

/** Hook: writes the line of a request. */
export function logRouted(logRequest: LogRequest) {
  return ({ id, method, originalUrl }: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    logRequest(id, method, originalUrl, reply.statusCode, reply.elapsedTime)
    done()
  }
}
