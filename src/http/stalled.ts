import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What a client must take of a waiting answer in the time it gets; a line of 1 KB a second does. */
const LEAST_BYTES = 10_000
const LOOK_MS = 1_000

/** What Node keeps at a socket that it has not closed. */
interface OpenSocket extends Socket {
  _handle?: { bytesWritten: number; writeQueueSize: number } | null
}

/**
 * Ends connections whose clients hardly take their answers: Node would keep both for ever.
 *
 * @param mostMs that a client may be that slow
 */
export function endStalled(server: Server, mostMs: number): void {
  const sockets = new Set<OpenSocket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  /** When a client with bytes to take had last taken enough, and how many they were until then. */
  const marks = new WeakMap<Socket, { since: number; taken: number }>()
  const looking = setInterval(() => {
    const now = performance.now()
    for (const socket of sockets) {
      const { bytesWritten = 0, writeQueueSize: waiting = 0 } = socket._handle ?? {}
      const taken = bytesWritten - waiting
      const mark = marks.get(socket)
      if (waiting === 0) marks.delete(socket)
      else if (!mark || taken - mark.taken >= LEAST_BYTES) marks.set(socket, { since: now, taken })
      else if (now - mark.since >= mostMs) socket.destroy()
    }
  }, LOOK_MS)
  looking.unref()
  server.once('close', () => clearInterval(looking))
}
