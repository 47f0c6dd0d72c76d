import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { ApiError, type ErrorCode } from '../errors.ts'
import { type Connection, firstUnanswered, LINGER_MS } from './connections.ts'
import type { CorsPolicy } from './cors.ts'
import type { Face } from './face.ts'
import { requestId } from './request-log.ts'
import { errorHeaders, logFailure } from './send-error.ts'

declare module 'node:http' {
  interface IncomingMessage {
    /** True while a body reader limits the time of the request, instead of Node's request timeout. */
    hasOwnTimeLimit?: true
  }
}

const ERROR_CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Answers input that never becomes a request. For such an error, Node's parser passes only the socket, and
 * Node itself would send nothing but a status line. Also answers CONNECT, for which Node passes the socket
 * too.
 * @param face formats and charges these errors
 */
export function answerParserErrors(
  server: Server,
  face: Face,
  cors: CorsPolicy,
  logger: FastifyBaseLogger,
): void {
  const answered = new WeakSet<Socket>()

  async function answer(error: ApiError, socket: Connection, request?: IncomingMessage): Promise<void> {
    if (answered.has(socket)) return
    answered.add(socket)
    if (!socket.writable) return socket.destroySoon()
    socket.on('error', () => socket.destroy())
    // The service reads bytes that still arrive, because closing a socket with unread bytes resets the
    // connection and may lose the response. These bytes must not start or complete a request, or end the
    // connection before the response.
    socket
      .removeAllListeners('end')
      .removeAllListeners('data')
      .on('data', () => undefined)
    const { headers, refusal } = await face.gate.admit(face.gate.visitor(socket.remoteAddress))
    afterEarlierResponses(socket, (failed) => {
      const sent = refusal ?? error
      const knownRequest = request ?? failed
      const id = requestId(knownRequest?.headers['x-request-id'])
      logFailure(logger, id, sent)
      logger.info({ reqId: id, status: sent.status, code: sent.code }, 'invalid request')
      socket.end(
        responseText(sent, face.writeError(sent), {
          'x-request-id': id,
          ...headers,
          ...(knownRequest && cors(knownRequest)),
        }),
      )
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    })
  }

  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    const { latest } = socket as Connection
    // Node reports each slow request once.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && latest?.complete === false && latest.hasOwnTimeLimit)
      return
    void answer(new ApiError(ERROR_CODES[error.code ?? ''] ?? 'bad_request'), socket)
  })
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node no longer emits 'drain' on this socket, but an earlier streamed response still waits for it.
    socket.on('drain', () => firstUnanswered(socket as Connection)?.emit('drain'))
    const error = new ApiError('method_not_allowed', { headers: { allow: 'GET, HEAD, POST' } })
    void answer(error, socket, request)
  })
}

/**
 * Calls back after every complete request before the error has its response, because a client matches
 * responses to requests by their order. Does not call back when the failed request already has a response.
 */
function afterEarlierResponses(
  socket: Connection,
  answer: (failed: IncomingMessage | undefined) => void,
): void {
  if (!socket.writable) return
  const { latest } = socket
  const failed = latest?.complete === false ? latest : undefined
  const next = firstUnanswered(socket)
  if (next && next.req !== failed) next.once('close', () => afterEarlierResponses(socket, answer))
  else if (next ? next.headersSent : failed) socket.destroySoon()
  else answer(failed)
}

function responseText(
  error: ApiError,
  { type, body }: ReturnType<Face['writeError']>,
  headers: Record<string, string>,
): string {
  const lines = Object.entries({
    date: new Date().toUTCString(),
    ...headers,
    ...errorHeaders(error),
    'content-type': type,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${error.status} ${error.code}\r\n${lines.join('')}\r\n${body}`
}
