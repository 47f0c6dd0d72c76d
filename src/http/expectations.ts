import type { Server } from 'node:http'
import { countUnanswered, lastUnanswered } from './connections.ts'

/**
 * Answers `Expect: 100-continue` (RFC 9110, section 10.1.1) after all earlier requests on the connection have
 * their responses. Node itself would write the 100 into the middle of an earlier response.
 */
export function handleExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    const { socket } = request
    const previous = lastUnanswered(socket)
    countUnanswered(request, response)
    const proceed = (): void => {
      if (!socket.writable) return
      response.writeContinue()
      server.emit('request', request, response)
    }
    if (previous) previous.once('close', proceed)
    else proceed()
  })
  // RFC 9110 allows a server to ignore other expectations. Node would answer them with 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
