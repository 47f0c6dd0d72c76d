import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { Connection } from './connections.ts'

/**
 * How long a client that is still sending may take to read its response. The connection is cut after that.
 */
export const LINGER_MS = 1_000

/**
 * Keeps a connection open for a moment while its client is still sending, for example after a 413. Closing a
 * socket that has unread bytes resets the connection, and the client may lose the response.
 */
export function lingerWhileSending(server: Server): void {
  server.on('connection', (socket: Socket) => {
    socket.destroySoon = endAndLinger
  })
}

function endAndLinger(this: Connection): void {
  if (this.latest?.complete !== false && this.readableLength === 0) {
    Socket.prototype.destroySoon.call(this)
    return
  }
  this.end()
  // The service does not read bytes that still arrive, so they cannot become a request.
  this.removeAllListeners('data')
    .on('data', () => undefined)
    .pause()
  setTimeout(() => this.destroy(), LINGER_MS).unref()
}
