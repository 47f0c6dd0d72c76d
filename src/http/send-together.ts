import type { FastifyBaseLogger, FastifyReply, FastifyRequest, RawReplyDefaultExpression } from 'fastify'
import { logFailure, toApiError } from './send-error.ts'

/** So many answers at most wait for each other. */
const MOST_TOGETHER = 32

/** Sends an answer, in a moment. What it is given must not throw: others wait behind it. */
export type Send = (send: () => void) => void

/**
 * The answers of one turn of the event loop go out right after each other, at its end or when there are so
 * many. To wake a client that waits may cost more than a cached answer; once awake it takes the others for
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
  return (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: Done): void => {
    const answer = (): void => {
      try {
        done()
      } catch (error) {
        sendFailure(error as Error, request, reply, done)
      }
    }
    if (reply.statusCode < 400) send(answer)
    else done()
  }
}

type Done = (error?: Error) => void

/** In the place of an answer goes an error, with none of the headers of which one may be at fault. */
function sendFailure(error: Error, { log, id }: FastifyRequest, reply: FastifyReply, done: Done): void {
  if (reply.raw.headersSent) {
    cutShort(log, id, error, reply.raw)
    return
  }
  // The others are our own: the id, and the limit.
  for (const name of Object.keys(reply.getHeaders())) if (!name.startsWith('x-')) reply.removeHeader(name)
  done(error)
}

/** Ends an answer that has begun, and its connection with it unless it was sent whole. */
export function cutShort(
  logger: FastifyBaseLogger,
  reqId: string,
  error: unknown,
  response: RawReplyDefaultExpression,
): void {
  logFailure(logger, reqId, toApiError(error))
  if (!response.writableEnded) response.destroy()
}
