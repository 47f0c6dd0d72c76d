import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type ErrorCode } from '../errors.ts'
import { errorBody, JSON_TYPE, toApiError } from './error-body.ts'
import { requestId } from './request-id.ts'

/** Charges a request of which no more than the address is known. @returns its headers, and the refusal if it is one */
export type AdmitAddress = (
  address: string | undefined,
) => Promise<{ headers: Record<string, string>; refusal: ApiError | undefined }>

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Time in which a client that is still sending may read its answer before the connection is cut. */
const LINGER_MS = 1_000

/**
 * Answers what never becomes a request: Node's parser reports it with nothing but the socket, and would
 * itself send a bare status line. Also CONNECT, which Node gives away as a socket.
 */
export function answerParserErrors(server: Server, admit: AdmitAddress): void {
  const answered = new WeakSet<Socket>()

  async function answer(error: ApiError, socket: Socket): Promise<void> {
    if (answered.has(socket)) return
    answered.add(socket)
    // An answer is on its way on this connection: a second one would end up inside of it.
    const sending = (socket as Socket & { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent
    if (!socket.writable || sending) return void socket.destroy()
    socket.on('error', () => socket.destroy())
    const { headers, refusal } = await admit(socket.remoteAddress).catch((cause: unknown) => ({
      headers: {},
      refusal: toApiError(cause),
    }))
    socket.end(responseText(refusal ?? error, headers))
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }

  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy()
    void answer(new ApiError(CODES[error.code ?? ''] ?? 'bad_request'), socket)
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    void answer(new ApiError('method_not_allowed', { headers: { allow: 'GET, HEAD, POST' } }), socket)
  })
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1); Node would answer 417 by itself.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

function responseText(error: ApiError, headers: Record<string, string>): string {
  const body = errorBody(error)
  const lines = Object.entries({
    date: new Date().toUTCString(),
    'x-request-id': requestId(undefined),
    ...headers,
    ...error.headers,
    'content-type': JSON_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${error.status} ${error.code}\r\n${lines.join('')}\r\n${body}`
}
