import type { FastifyReply, FastifyRequest } from 'fastify'
import { yieldToEventLoop } from './turns.ts'

/** When this many responses are waiting, all of them are sent at once. */
const MAX_WAITING = 32

/** Sending a longer response takes so long that many of them at once would make other requests wait. */
const MAX_LENGTH = 65_536

/** Resolves when all long responses so far are sent. */
let longSends = Promise.resolve()

let waiting: (() => void)[] = []

/**
 * Collects responses, and sends them together at the end of a turn of the event loop. A write to a socket may
 * wake the client's process, which costs more than making a cached response. Once awake, the client reads
 * further responses cheaply. Decision 16.
 *
 * @param send must not throw, because it would stop the responses after it
 * @param length of the body
 */
export function atEndOfTurn(send: () => void, length = 0): void {
  if (length > MAX_LENGTH) {
    longSends = longSends.then(yieldToEventLoop).then(send)
    return
  }
  const count = waiting.push(send)
  if (count === 1) setImmediate(sendAll)
  else if (count === MAX_WAITING) sendAll()
}

function sendAll(): void {
  const ready = waiting
  waiting = []
  for (const send of ready) send()
}

/**
 * `onSend` hook, which must be the last one. Errors are sent at once. The rest of a refused request may still
 * be arriving, and must not be read as the next request.
 */
export function sendAtEndOfTurn(
  _request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error?: Error) => void,
): void {
  function send(): void {
    try {
      done()
    } catch (error) {
      if (reply.raw.headersSent) reply.raw.destroy()
      // Node refused a header of the response, so an error is sent without that header.
      else done(error as Error)
    }
  }
  if (reply.statusCode < 400) atEndOfTurn(send, (payload as { length?: number } | null)?.length)
  else done()
}
