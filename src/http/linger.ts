import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { Connection } from './connections.ts'

/** Time in which a client that is still sending may read its answer before the connection is cut. */
export const LINGER_MS = 1_000

/**
 * A connection that is closed on unread bytes is reset, and the answer may be lost on its way. One whose
 * client is still sending, after a 413 for example, is therefore left open for another moment.
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
  // Nothing that still comes may become a request. It is not even read, at the speed of whoever sends it.
  this.removeAllListeners('data')
    .on('data', () => undefined)
    .pause()
  setTimeout(() => this.destroy(), LINGER_MS).unref()
}
