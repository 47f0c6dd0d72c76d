import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Connection } from './connections.ts'

interface Expected extends ServerResponse {
  /** Whether Node takes it that the body is not sent before a 100, and so ends a connection without one. */
  _expect_continue?: boolean
}

/**
 * What clients expect of the service before they send a body (RFC 9110, section 10.1.1). Each hears it in its
 * turn: of a request that waits behind another Node would put the 100 behind the head of an answer that is
 * made of bytes, as if it were the beginning of its body.
 */
export function meetExpectations(server: Server): void {
  /** The last one on a connection that waits for its turn. */
  const last = new WeakMap<Connection, ServerResponse>()

  function continueInTurn(socket: Connection, response: ServerResponse, before = socket._httpMessage): void {
    if (before && before !== response)
      before.once('close', () => continueInTurn(socket, response, socket._httpMessage))
    else if (!response.headersSent && socket.writable) response.writeContinue()
  }

  server.on('checkContinue', (request: IncomingMessage, response: Expected) => {
    const { socket } = request
    if (hasBody(request)) {
      continueInTurn(socket, response, last.get(socket))
      last.set(socket, response)
      response.once('close', () => last.get(socket) === response && last.delete(socket))
      // Sent without waiting: nothing is expected any more.
      request.once('end', () => expectNothing(response))
    } else {
      expectNothing(response)
    }
    server.emit('request', request, response)
  })
  // Any other may be ignored; Node would answer 417 by itself.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function expectNothing(response: Expected): void {
  response._expect_continue = false
}
