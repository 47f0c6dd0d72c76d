import type { FastifyReply, FastifyRequest } from 'fastify'

/** When this many responses are waiting, all of them are sent at once. */
const MAX_WAITING = 32

let waiting: (() => void)[] = []

/**
 * Collects responses, and sends them together at the end of a turn of the event loop. A write to a socket may
 * wake the client's process, which costs more than making a cached response. Once awake, the client reads
 * further responses cheaply. Decision 16.
 *
 * @param send must not throw, because it would stop the responses after it
 */
export function atEndOfTurn(send: () => void): void {
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
  _payload: unknown,
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
  if (reply.statusCode < 400) atEndOfTurn(send)
  else done()
}
