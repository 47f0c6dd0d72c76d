import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from './connections.ts'

/** A client must take so much of a waiting answer in the time it gets; 1 KB a second is enough. */
const MIN_BYTES = 10_000
const LOOK_MS = 1_000
/** A request that is sent too slowly has had its 408 by then. */
const AFTER_408_MS = 5_000

/**
 * Ends connections whose clients take their answers too slowly or not at all: Node would keep them for ever.
 *
 * @param mostMs that a client may take nothing, or less than `MIN_BYTES`
 */
export function endStalled(server: Server, connections: ReadonlySet<Connection>, mostMs: number): void {
  server.setTimeout(mostMs + AFTER_408_MS)
  // While a request is carried out there is nothing to take yet.
  server.on('timeout', (socket: Connection) => {
    if (socket.writableLength > 0 || !socket.unanswered?.size) socket.destroy()
  })

  /** How many bytes wait for a client, and since when it has been the same number. */
  const marks = new WeakMap<Socket, { since: number; waiting: number }>()
  const looking = setInterval(() => {
    const now = performance.now()
    for (const connection of connections) {
      const waiting = connection.writableLength
      const mark = marks.get(connection)
      if (waiting === 0) marks.delete(connection)
      else if (mark?.waiting !== waiting) marks.set(connection, { since: now, waiting })
      else if (now - mark.since >= mostMs * Math.max(1, waiting / MIN_BYTES)) connection.destroy()
    }
  }, LOOK_MS)
  looking.unref()
  server.once('close', () => clearInterval(looking))
}
