import { Server as NetServer } from 'node:net'
import type { App } from './app.ts'
import { type Connection, lastUnanswered } from './connections.ts'

/** An idle connection may send one more request within this time. Its response closes the connection. */
const IDLE_GRACE_MS = 500
const CHECK_INTERVAL_MS = 50
/** The longest time that the server accepts connections from the listen queue before it closes. */
const ACCEPT_GRACE_MS = 1_000

/** The event of a server that begins to shut down. Responses that have no end must end now. */
export const DRAINING = 'draining'

/**
 * Shuts a server down gracefully: accepts no new connections, closes each connection with its next response,
 * and closes idle connections after a short time.
 * @param maxMs after this time, open connections are cut
 */
export async function drain({ server, connections }: App, maxMs: number): Promise<void> {
  const startedAt = performance.now()
  server.emit(DRAINING)
  await acceptWaiting(server, startedAt + ACCEPT_GRACE_MS)
  server.prependListener('request', ({ socket }: { socket: Connection }, response) => {
    const previous = lastUnanswered(socket)
    if (previous?.headersSent) socket.isClosing = true
    else previous?.setHeader('connection', 'keep-alive')
    response.setHeader('connection', 'close')
  })
  for (const connection of connections) {
    const last = lastUnanswered(connection)
    if (last && !last.headersSent) last.setHeader('connection', 'close')
  }
  const closed = new Promise<void>((resolve) => {
    // http.Server.close() would cut idle connections immediately, even if a client has just sent a request.
    NetServer.prototype.close.call(server, () => resolve())
  })
  // Node counts a connection as idle even if its client has not yet received the whole response.
  const closeIdle = (): void => {
    if (![...connections].some(({ writableLength }) => writableLength > 0)) server.closeIdleConnections()
  }
  const closingSince = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    // Node's list does not include connections that sent CONNECT.
    if (now - startedAt > maxMs) for (const connection of connections) connection.destroy()
    // Timers run before network events. `setImmediate` waits until requests that have arrived are read.
    else if (now - closingSince > IDLE_GRACE_MS) setImmediate(closeIdle)
  }, CHECK_INTERVAL_MS)
  await closed
  clearInterval(timer)
}

/**
 * Accepts the connections that only the kernel has established. Closing the server would reset them, and a
 * client that had sent a request would not know whether the service handled it.
 */
async function acceptWaiting(server: NetServer, deadline: number): Promise<void> {
  let accepted = true
  const onConnection = (): void => {
    accepted = true
  }
  server.on('connection', onConnection)
  // Each turn of the event loop accepts one connection.
  await new Promise(setImmediate)
  while (accepted && performance.now() < deadline) {
    accepted = false
    await new Promise(setImmediate)
  }
  server.off('connection', onConnection)
}
