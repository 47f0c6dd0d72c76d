import type { FastifyReply, FastifyRequest } from 'fastify'

/** So many answers at most wait for each other. */
const MOST_TOGETHER = 32

/** Sends an answer, in a moment. */
export type Send = (send: () => void) => void

/**
 * The answers of one turn of the event loop go out right after each other, at its end or when there are so
 * many. To wake a client that waits may cost more than a ready answer; once awake it takes the others for
 * little. Decision 16.
 */
export function sendTogether(): Send {
  const waiting: (() => void)[] = []
  function sendAll(): void {
    for (const send of waiting.splice(0)) send()
  }
  return (send) => {
    const count = waiting.push(send)
    if (count === 1) setImmediate(sendAll)
    else if (count === MOST_TOGETHER) sendAll()
  }
}

/** Hook. An error goes at once: its request may still be on its way, and what comes next be answered too. */
export function sendRouted(send: Send) {
  return (_request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void => {
    if (reply.statusCode < 400) send(done)
    else done()
  }
}
