import type { FastifyReply, FastifyRequest } from 'fastify'
import { NO_STORE, NOSNIFF, PRIVATE, VARY, VARY_ENCODED } from './cache-headers.ts'
import { codingFor, compress, MIN_BYTES } from './compress.ts'
import { yieldToEventLoop } from './turns.ts'

// The hooks of responses, in this order. Pages (send-page.ts) bypass them.

type Done = (error?: Error | null, payload?: unknown) => void

/**
 * Checks whether a response may be compressed. This is allowed only for responses to reads that a cache may
 * store. Personal data is never compressed: an attacker who controls a part of the text could guess a secret
 * next to that part from the compressed size (the BREACH attack).
 */
function mayCompress({ method, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    routeOptions.config?.access !== undefined &&
    reply.getHeader('cache-control') !== NO_STORE['cache-control']
  )
}

/** `onSend` hook: adds the headers that depend on the route. Errors already carry `no-store`. */
export function addRouteHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: Done,
): void {
  const { access, deprecation } = request.routeOptions.config ?? {}
  reply.headers(NOSNIFF)
  if (access && reply.statusCode < 400) {
    if (!reply.hasHeader('cache-control')) reply.headers(PRIVATE)
    reply.headers(mayCompress(request, reply) ? VARY_ENCODED : VARY)
  }
  if (deprecation) reply.headers(deprecation(request))
  done()
}

/** `onSend` hook: compresses a response without an ETag; send-page.ts compresses those with one. */
export function compressRouted(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: Done,
): void {
  const coding = codingFor(request.headers['accept-encoding'])
  const encoded =
    coding &&
    !reply.hasHeader('etag') &&
    (typeof payload === 'string' || Buffer.isBuffer(payload)) &&
    Buffer.byteLength(payload) >= MIN_BYTES &&
    mayCompress(request, reply) &&
    compress(payload, coding)
  if (!encoded) {
    done()
    return
  }
  encoded.then((bytes) => {
    reply.header('content-encoding', coding)
    done(null, bytes)
  }, done)
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
 * further responses cheaply. See decision 16.
 * @param send must not throw, because it would stop the responses after it
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
  done: Done,
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
