import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from './connections.ts'

/**
 * The number of bytes of a waiting response that a client must read per timeout. A client that reads 1 KB a
 * second is fast enough.
 */
const MIN_BYTES = 10_000
const CHECK_INTERVAL_MS = 1_000
/** Extra time before an idle connection is closed, so that a request that arrives too slowly gets its 408. */
const AFTER_408_MS = 5_000

/**
 * Closes connections whose clients read their responses too slowly. Node would keep them open forever.
 *
 * @param maxMs how long a client may read nothing; proportionally longer for more than `MIN_BYTES`
 */
export function closeStalled(server: Server, connections: ReadonlySet<Connection>, maxMs: number): void {
  server.setTimeout(maxMs + AFTER_408_MS)
  // While the service handles a request, the client has nothing to read yet.
  server.on('timeout', (socket: Connection) => {
    if (socket.writableLength > 0 || !socket.unanswered?.size) socket.destroy()
  })

  /** For each client: the number of bytes that wait, and since when that number is unchanged. */
  const marks = new WeakMap<Socket, { since: number; waiting: number }>()
  const timer = setInterval(() => {
    const now = performance.now()
    for (const connection of connections) {
      const waiting = connection.writableLength
      const mark = marks.get(connection)
      if (waiting === 0) marks.delete(connection)
      else if (mark?.waiting !== waiting) marks.set(connection, { since: now, waiting })
      else if (now - mark.since >= maxMs * Math.max(1, waiting / MIN_BYTES)) connection.destroy()
    }
  }, CHECK_INTERVAL_MS)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}
