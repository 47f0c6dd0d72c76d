import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import pino, { type DestinationStream, type Logger } from 'pino'

const USABLE_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Matches API keys, which are valid request ids. A key that a client sends as one must not be logged. */
const CONTAINS_KEY = /adopt_(?:live|test)_/

const start = randomBytes(6).toString('hex')
let count = 0

/** Returns the request's X-Request-Id if it is usable. Otherwise makes a new id. */
export function requestId(inbound: string | string[] | undefined): string {
  if (typeof inbound === 'string' && USABLE_ID.test(inbound) && !CONTAINS_KEY.test(inbound)) return inbound
  count += 1
  return `${start}-${count.toString(36)}`
}

/**
 * Matches an API key without its first letter. In `%4%61dopt_live_…`, decoding `%61` to `a` completes the
 * escape `%4a`, which is a `J`, so the first letter can get lost.
 */
const KEY = /dopt_(live|test)_[0-9A-Za-z]*/g
/** Paths with a secret link: staff invitations and resets, and applications. */
const SECRET_LINK = /^(\/+(?:console\/join|applications)\/).+/s
const MAX_LOGGED_CHARACTERS = 200

/** Prepares a path for the log: removes the query, API keys and secret links. Cuts it to 200 characters. */
export function loggablePath(url: string): string {
  const end = url.indexOf('?')
  // Cuts the path first, because that limits the cost of repeated decoding.
  const path = url.slice(0, end < 0 ? MAX_LOGGED_CHARACTERS : Math.min(end, MAX_LOGGED_CHARACTERS))
  const decoded = path.includes('%') ? decodeIfSecret(path) : path
  const withoutLinks = SECRET_LINK.test(decoded) ? decoded.replace(SECRET_LINK, '$1…') : decoded
  return withoutLinks.includes('dopt_') ? withoutLinks.replace(KEY, 'dopt_$1_…') : withoutLinks
}

/** Decodes until no escape is left. Returns the original path when it hides no secret. */
function decodeIfSecret(path: string): string {
  let [before, plain] = ['', path]
  while (plain !== before) {
    before = plain
    plain = plain.replace(/%([0-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return plain.search(KEY) < 0 && !SECRET_LINK.test(plain) ? path : plain
}

const STREAM: typeof pino.symbols.streamSym = pino.symbols.streamSym

/** @param id as made by `requestId` @param ms from the arrival of the request to its response */
export type LogRequest = (id: string, method: string, url: string, status: number, ms: number) => void

/**
 * Writes one log line per request. The line is the same as the logger would write. Building the line here
 * saves 1.5 to 2.8 µs of the 28 µs that a cached response takes.
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

/** `onResponse` hook: writes the log line of a request. */
export function logRouted(logRequest: LogRequest) {
  return ({ id, method, originalUrl }: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    logRequest(id, method, originalUrl, reply.statusCode, reply.elapsedTime)
    done()
  }
}
