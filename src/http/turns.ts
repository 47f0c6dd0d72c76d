import type { FastifyReply, FastifyRequest } from 'fastify'

// All long tasks of a process, such as searches, share the time that a turn of the event loop has for them.

/** The longest time that long tasks may make other requests wait. */
const TURN_MS = 4

/** When the long tasks of the current turn of the event loop began. */
let since: number | undefined
/** Resumes the waiting tasks, in the order in which they began to wait. */
const waiting: (() => void)[] = []
let willResume = false

function isTurnOver(): boolean {
  if (since === undefined) {
    since = performance.now()
    setImmediate(() => {
      since = undefined
    })
  }
  return performance.now() - since >= TURN_MS
}

async function resumeTasks(): Promise<void> {
  while (waiting.length > 0 && !isTurnOver()) {
    waiting.shift()?.()
    // The task runs until it waits again, and then comes after the others.
    await undefined
  }
  willResume = waiting.length > 0
  if (willResume) setImmediate(resumeTasks)
}

/**
 * Lets other requests run if the long tasks of this turn took too long. Call this after about each
 * millisecond of work.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (waiting.length === 0 && !isTurnOver()) return
  const resumed = new Promise<void>((resume) => waiting.push(resume))
  if (!willResume) setImmediate(resumeTasks)
  willResume = true
  await resumed
}

/** Maps items one by one, and lets other requests run in between. */
export async function mapInTurns<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) {
    await yieldToEventLoop()
    results.push(map(item))
  }
  return results
}

/** When this many responses are waiting, all of them are sent immediately. */
const MAX_RESPONSES = 32

/** Sending a longer response takes so long that many of them at once would make other requests wait. */
const MAX_LENGTH = 65_536

/** Resolves when all long responses so far are sent. */
let longSends = Promise.resolve()

let responses: (() => void)[] = []

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
  const count = responses.push(send)
  if (count === 1) setImmediate(sendAll)
  else if (count === MAX_RESPONSES) sendAll()
}

function sendAll(): void {
  const ready = responses
  responses = []
  for (const send of ready) send()
}

/**
 * `onSend` hook, which must follow all hooks that change the response. Errors are sent immediately. The rest
 * of a refused request may still be arriving, and must not be read as the next request.
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
