import type { Server } from 'node:http'
import { countUnanswered, lastUnanswered } from './connections.ts'

/**
 * Answers `Expect: 100-continue` (RFC 9110, section 10.1.1) once all earlier requests on the connection are
 * answered, and carries out the request from then on. Node would put the 100 into an earlier answer.
 */
export function meetExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    const { socket } = request
    const before = lastUnanswered(socket)
    countUnanswered(request, response)
    const goOn = (): void => {
      if (!socket.writable) return
      response.writeContinue()
      server.emit('request', request, response)
    }
    if (before) before.once('close', goOn)
    else goOn()
  })
  // Any other may be ignored; Node would answer 417 by itself.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
