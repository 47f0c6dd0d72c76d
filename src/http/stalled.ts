import type { Server } from 'node:http'
import type { Connection } from './connections.ts'

/** What a client must take of a waiting answer in the time it gets; a line of 1 KB a second does. */
const LEAST_BYTES = 10_000
const LOOK_MS = 1_000

/**
 * Ends connections whose clients hardly take their answers: Node would keep both for ever.
 *
 * @param mostMs that a client may be that slow
 */
export function endStalled(server: Server, connections: ReadonlySet<Connection>, mostMs: number): void {
  /** When a client with bytes to take had last taken enough, and how many they were until then. */
  const marks = new WeakMap<Connection, { since: number; taken: number }>()
  const looking = setInterval(() => {
    const now = performance.now()
    for (const connection of connections) {
      const { bytesWritten = 0, writeQueueSize: waiting = 0 } = connection._handle ?? {}
      const taken = bytesWritten - waiting
      const mark = marks.get(connection)
      if (waiting === 0) marks.delete(connection)
      else if (!mark || taken - mark.taken >= LEAST_BYTES) marks.set(connection, { since: now, taken })
      else if (now - mark.since >= mostMs) connection.destroy()
    }
  }, LOOK_MS)
  looking.unref()
  server.once('close', () => clearInterval(looking))
}
