import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { ApiError, type ErrorCode } from '../errors.ts'
import { type Connection, firstUnanswered } from './connections.ts'
import type { ShareWithOrigin } from './cors.ts'
import type { Face } from './face.ts'
import { LINGER_MS } from './linger.ts'
import { requestId } from './request-id.ts'
import { errorHeaders, logFailure } from './send-error.ts'

declare module 'node:http' {
  interface IncomingMessage {
    /** Whoever reads its body bounds the time that it may take. */
    atItsOwnPace?: true
  }
}

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/**
 * Answers what never becomes a request: Node's parser reports it with nothing but the socket, and would
 * itself send a bare status line. Also CONNECT, which Node gives away as a socket.
 *
 * @param face in whose form it is told, and whose limits it is charged to
 */
export function answerParserErrors(
  server: Server,
  face: Face,
  share: ShareWithOrigin,
  logger: FastifyBaseLogger,
): void {
  const answered = new WeakSet<Socket>()

  async function answer(error: ApiError, socket: Connection, request?: IncomingMessage): Promise<void> {
    if (answered.has(socket)) return
    answered.add(socket)
    if (!socket.writable) return socket.destroySoon()
    socket.on('error', () => socket.destroy())
    // Nothing that still comes may become a request, complete one, or end the connection before the answer.
    // It is read all the same: a connection closed on unread bytes is reset, and the answer may be lost.
    socket
      .removeAllListeners('end')
      .removeAllListeners('data')
      .on('data', () => undefined)
    const { headers, refusal } = await face.gate.admit(face.gate.visitor(socket.remoteAddress))
    inTurn(socket, (broken) => {
      const answer = refusal ?? error
      const known = request ?? broken
      const id = requestId(known?.headers['x-request-id'])
      logFailure(logger, id, answer)
      logger.info({ reqId: id, status: answer.status, code: answer.code }, 'no whole request')
      socket.end(
        responseText(answer, face.writeError(answer), {
          'x-request-id': id,
          ...headers,
          ...(known && share(known)),
        }),
      )
      setTimeout(() => socket.destroy(), LINGER_MS).unref()
    })
  }

  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    const { latest } = socket as Connection
    // Node tells once of each request that takes long.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && latest?.complete === false && latest.atItsOwnPace) return
    void answer(new ApiError(CODES[error.code ?? ''] ?? 'bad_request'), socket)
  })
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    // Node no longer passes this event on, and an answer that is streamed before this one waits for it.
    socket.on('drain', () => firstUnanswered(socket as Connection)?.emit('drain'))
    const error = new ApiError('method_not_allowed', { headers: { allow: 'GET, HEAD, POST' } })
    void answer(error, socket, request)
  })
}

/**
 * Calls back once every request that arrived whole before the error has its own answer: a client takes
 * answers in the order of its requests. Not at all where the request with the error has an answer already.
 */
function inTurn(socket: Connection, answer: (broken: IncomingMessage | undefined) => void): void {
  if (!socket.writable) return
  const { latest } = socket
  const broken = latest?.complete === false ? latest : undefined
  const due = firstUnanswered(socket)
  if (due && due.req !== broken) due.once('close', () => inTurn(socket, answer))
  else if (due ? due.headersSent : broken) socket.destroySoon()
  else answer(broken)
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
