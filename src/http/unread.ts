import { type Server, ServerResponse } from 'node:http'
import type { Connection } from './connections.ts'

/** Responses with fewer bytes are not counted. */
const MIN_BYTES = 65_536
/**
 * The maximum number of bytes of responses that clients have not read, in one process. A client address gets
 * at most a quarter.
 */
const MAX_UNREAD_BYTES = 256_000_000

/** A response that counts its bytes until the client has read them. */
export class CountedResponse extends ServerResponse {
  override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
    const bytes = sizeOf(chunk, encoding)
    if (bytes >= MIN_BYTES) this.#count(bytes)
    return super.end(chunk, encoding as BufferEncoding, done as () => void)
  }

  #count(bytes: number): void {
    const connection: Connection = this.req.socket
    connection.unreadBytes = (connection.unreadBytes ?? 0) + bytes
    this.once('close', () => {
      connection.unreadBytes = (connection.unreadBytes ?? 0) - bytes
    })
    // By then, the operating system has taken all bytes for which it has room.
    setImmediate(() => connection.emit('unread'))
  }
}

function sizeOf(chunk: unknown, encoding: unknown): number {
  if (typeof chunk === 'string')
    return encoding === 'latin1' ? chunk.length : 3 * chunk.length < MIN_BYTES ? 0 : Buffer.byteLength(chunk)
  return Buffer.isBuffer(chunk) ? chunk.length : 0
}

/**
 * Closes the connections with the most unread bytes, if a client address or all clients together leave too
 * many unread. Otherwise a client that reads nothing could use up the memory with a few large responses.
 */
export function limitUnread(server: Server, connections: ReadonlySet<Connection>): void {
  server.on('connection', (socket: Connection) => {
    socket.on('unread', () => closeGreedy(connections, socket.client))
  })
}

function closeGreedy(connections: ReadonlySet<Connection>, client: string | undefined): void {
  const all = [...connections].filter(({ unreadBytes = 0 }) => unreadBytes > 0)
  if (client !== undefined)
    closeLargest(
      all.filter((connection) => connection.client === client),
      MAX_UNREAD_BYTES / 4,
    )
  closeLargest(all, MAX_UNREAD_BYTES)
}

const unreadOf = ({ unreadBytes = 0, destroyed }: Connection): number => (destroyed ? 0 : unreadBytes)

function closeLargest(connections: Connection[], maxBytes: number): void {
  let bytes = connections.reduce((sum, connection) => sum + unreadOf(connection), 0)
  if (bytes <= maxBytes) return
  for (const connection of connections.toSorted((one, other) => unreadOf(other) - unreadOf(one))) {
    if (bytes <= maxBytes) return
    bytes -= unreadOf(connection)
    connection.destroy()
  }
}
