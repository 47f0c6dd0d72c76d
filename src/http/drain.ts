import { Server as NetServer } from 'node:net'
import type { App } from './app.ts'
import { type Connection, lastUnanswered } from './connections.ts'

/** Time an idle connection gets to send one more request, which is then answered with "connection: close". */
const IDLE_GRACE_MS = 500
const LOOK_MS = 50
/** Those who wait at the door are let in before it is closed, as long as more of them come, but no longer. */
const DOOR_GRACE_MS = 1_000

/**
 * Ends a server without cutting anybody off: no new connections; every answer from now on closes its own;
 * connections with nothing to say are closed after a moment.
 *
 * @param mostMs after which what is still unanswered is cut
 */
export async function drain({ server, connections }: App, mostMs: number): Promise<void> {
  const begun = performance.now()
  await takeWaiting(server, begun + DOOR_GRACE_MS)
  server.prependListener('request', ({ socket }: { socket: Connection }, response) => {
    const before = lastUnanswered(socket)
    if (before?.headersSent) socket.isClosing = true
    else before?.setHeader('connection', 'keep-alive')
    response.setHeader('connection', 'close')
  })
  for (const connection of connections) {
    const last = lastUnanswered(connection)
    if (last && !last.headersSent) last.setHeader('connection', 'close')
  }
  const closed = new Promise<void>((resolve) => {
    // The HTTP server's own close() cuts idle connections at once, also one whose next request is on its way.
    NetServer.prototype.close.call(server, () => resolve())
  })
  // To Node a connection is idle also while its client has not taken all of an answer.
  const closeIdle = (): void => {
    if (![...connections].some(({ writableLength }) => writableLength > 0)) server.closeIdleConnections()
  }
  const closing = performance.now()
  const looking = setInterval(() => {
    const now = performance.now()
    // Node's own list lacks the connections that asked for a tunnel (CONNECT).
    if (now - begun > mostMs) for (const connection of connections) connection.destroy()
    // Timers come before the network in a turn: what has arrived meanwhile is read first.
    else if (now - closing > IDLE_GRACE_MS) setImmediate(closeIdle)
  }, LOOK_MS)
  await closed
  clearInterval(looking)
}

/**
 * Takes the connections that the system has made and nobody has taken: they would be reset when the server
 * closes, and whoever had sent a request on one would not know what became of it.
 */
async function takeWaiting(server: NetServer, until: number): Promise<void> {
  let came = true
  const note = (): void => {
    came = true
  }
  server.on('connection', note)
  // The rest of this turn of the event loop; each further one takes one of those who wait.
  await new Promise(setImmediate)
  while (came && performance.now() < until) {
    came = false
    await new Promise(setImmediate)
  }
  server.off('connection', note)
}
