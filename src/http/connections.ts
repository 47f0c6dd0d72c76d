import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isInside } from './outbound.ts'

/** A connection with more unanswered requests than this is closed. */
const MAX_UNANSWERED = 32

/** A socket, with the connection state that these modules add to it. */
export interface Connection extends Socket {
  /** Unfinished responses, in the order of their requests. */
  unanswered?: Set<ServerResponse>
  /** The latest request, until the service has received all of it and has finished the response. */
  latest?: IncomingMessage | undefined
  /** Set after a response has announced the close. Later requests are ignored (RFC 9112, section 9.6). */
  isClosing?: boolean
  /** The name of the client address; undefined for a proxy, which has many clients. */
  client?: string | undefined
  /** The number of bytes of large responses that the client has not read. */
  unreadBytes?: number
}

declare module 'fastify' {
  interface FastifyInstance {
    connections: ReadonlySet<Connection>
  }
}

interface Options {
  maxConnections: number
  /** Addresses, networks or `loopback`. */
  trustProxy: string[]
  /** Maps a client address to the name of its counter. */
  nameOf: (address: string) => string
}

/** Tracks open connections. A client address gets at most half of them, so it cannot lock the others out. */
export function openConnections(
  server: Server,
  { maxConnections, trustProxy, nameOf }: Options,
): ReadonlySet<Connection> {
  const connections = new Set<Connection>()
  /** Open connections per client address. */
  const clients = new Map<string, number>()
  const maxPerClient = Math.ceil(maxConnections / 2)

  server.on('connection', (socket: Connection) => {
    const { remoteAddress } = socket
    // The client has already disconnected.
    if (remoteAddress === undefined) return void socket.destroy()
    const name = nameOf(remoteAddress)
    const isProxy = isInside(ipaddr.process(remoteAddress), trustProxy)
    const count = clients.get(name) ?? 0
    if (count >= maxPerClient && !isProxy) return void socket.destroy()
    clients.set(name, count + 1)
    socket.unanswered = new Set()
    socket.client = isProxy ? undefined : name
    connections.add(socket)
    socket.once('close', () => {
      connections.delete(socket)
      const remaining = (clients.get(name) ?? 0) - 1
      if (remaining > 0) clients.set(name, remaining)
      else clients.delete(name)
    })
  })
  server.prependListener('request', countUnanswered)
  return connections
}

/**
 * Closes a connection that has too many unanswered requests. Node parses all bytes that have arrived
 * together, and 64 KB can contain 3,000 requests. `handleBeforeRouter` ignores the rest.
 */
function countUnanswered(request: IncomingMessage, response: ServerResponse): void {
  const socket: Connection = request.socket
  const { unanswered } = socket
  if (!unanswered || socket.destroyed || unanswered.has(response)) return
  if (unanswered.size >= MAX_UNANSWERED) {
    destroyNow(socket)
    return
  }
  socket.latest = request
  unanswered.add(response)
  response.once('close', () => {
    unanswered.delete(response)
    // Drops the last request, because an idle connection does not need its headers in memory.
    if (socket.latest === request && request.complete) socket.latest = undefined
  })
}

/**
 * Releases the memory of the requests immediately. Node would keep them until 'close', which comes only after
 * it has read all other sockets. The requests of a thousand connections would not fit into memory.
 */
function destroyNow(socket: Socket): void {
  socket.destroy()
  process.nextTick(() => {
    // 'close' makes Node abort thousands of requests, each with an error. Nobody would read the stack traces.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    socket.emit('close')
    Error.stackTraceLimit = stackTraceLimit
  })
}

/** The response that the client receives next. */
export function firstUnanswered({ unanswered }: Connection): ServerResponse | undefined {
  return unanswered?.values().next().value
}

/** The response that the client receives last. */
export function lastUnanswered({ unanswered = new Set() }: Connection): ServerResponse | undefined {
  return [...unanswered].at(-1)
}

/** How long a client that is still sending may take to read its response before the connection is cut. */
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

/** The bytes of a waiting response that a client must read per timeout. 1 KB a second is fast enough. */
const MIN_READ_BYTES = 10_000
const CHECK_INTERVAL_MS = 1_000
/** Extra time before an idle connection is closed, so a request that arrives too slowly gets its 408. */
const AFTER_408_MS = 5_000

/**
 * Closes connections whose clients read their responses too slowly. Node would keep them open forever.
 * @param maxMs how long a client may read nothing; proportionally longer for more than `MIN_READ_BYTES`
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
      else if (now - mark.since >= maxMs * Math.max(1, waiting / MIN_READ_BYTES)) connection.destroy()
    }
  }, CHECK_INTERVAL_MS)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/** Responses with fewer bytes are not counted. */
const MIN_BYTES = 65_536
/** The maximum of unread bytes of responses in one process. A client address gets at most a quarter. */
export const MAX_UNREAD_BYTES = 256_000_000

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

/** Handles a request before the router: answers it, or calls `route` and leaves it unchanged. */
export type EarlyHandler = (request: IncomingMessage, response: ServerResponse, route: () => void) => void

/** Runs `handle` for every request, before the router. */
export function handleBeforeRouter(server: Server, handle: EarlyHandler): void {
  const routers = server.listeners('request')
  server.removeAllListeners('request').on('request', (request, response) => {
    const { destroyed, isClosing } = request.socket as Connection
    if (destroyed || isClosing) return
    request.url = originForm(request.url)
    handle(request, response, () => {
      for (const router of routers) router.call(server, request, response)
    })
  })
}

/**
 * Removes the origin of an absolute-form request target, which proxies use (RFC 9112, section 3.2.2). Every
 * other target gets a slash before it, because the router would skip its first character.
 */
function originForm(url = '/'): string {
  return url.startsWith('/') ? url : `/${url.replace(/^https?:\/\/[^/?#]+\/?/i, '')}`
}

/**
 * Answers `Expect: 100-continue` (RFC 9110, section 10.1.1) after all earlier requests on the connection have
 * their responses. Node itself would write the 100 into the middle of an earlier response.
 */
export function handleExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    const { socket } = request
    const previous = lastUnanswered(socket)
    countUnanswered(request, response)
    const proceed = (): void => {
      if (!socket.writable) return
      response.writeContinue()
      server.emit('request', request, response)
    }
    if (previous) previous.once('close', proceed)
    else proceed()
  })
  // RFC 9110 allows a server to ignore other expectations. Node would answer them with 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
