import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'

/** A connection with more unanswered requests than this is closed. */
const MAX_UNANSWERED = 32

/** A socket, with the connection state that these modules add to it. */
export interface Connection extends Socket {
  /** Unfinished responses, in the order of their requests. */
  unanswered?: Set<ServerResponse>
  /** The latest request, until the service has received all of it and has finished the response. */
  latest?: IncomingMessage | undefined
  /**
   * Set after a response has announced that the connection closes. The service then ignores later requests
   * (RFC 9112, section 9.6).
   */
  isClosing?: boolean
  /** The name of the client address; undefined for a proxy, which has many clients. */
  client?: string | undefined
  /** The number of bytes of large responses that the client has not read. */
  unreadBytes?: number
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The open connections. */
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

/**
 * Tracks the open connections and their unanswered requests. One client address gets at most half of all
 * connections, so it cannot lock the others out.
 */
export function openConnections(
  server: Server,
  { maxConnections, trustProxy, nameOf }: Options,
): ReadonlySet<Connection> {
  const connections = new Set<Connection>()
  /** Open connections per client address. */
  const clients = new Map<string, number>()
  const proxies = createBlockList(trustProxy)
  const maxPerClient = Math.ceil(maxConnections / 2)

  server.on('connection', (socket: Connection) => {
    const { remoteAddress } = socket
    // The client has already disconnected.
    if (remoteAddress === undefined) return void socket.destroy()
    const name = nameOf(remoteAddress)
    const isProxy = proxies.check(...withFamily(remoteAddress))
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
 * Closes a connection that has too many unanswered requests. Node parses all bytes that have arrived at once,
 * and 64 KB can contain 3,000 requests. After the connection is closed, early-handler.ts ignores the
 * remaining requests.
 */
export function countUnanswered(request: IncomingMessage, response: ServerResponse): void {
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
 * Releases the memory of the connection's requests at once. Node would keep them until 'close', which it
 * emits only after reading all other sockets. The requests of a thousand connections would not fit into
 * memory.
 */
function destroyNow(socket: Socket): void {
  socket.destroy()
  process.nextTick(() => {
    // 'close' makes Node abort thousands of requests, each with an error. Nobody reads the stack traces, so
    // none are made.
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

function createBlockList(names: string[]): BlockList {
  const list = new BlockList()
  for (const network of names.flatMap((name) => (name === 'loopback' ? ['127.0.0.0/8', '::1'] : [name]))) {
    const [address = '', bits] = network.split('/')
    const [plain, family] = withFamily(address)
    if (bits === undefined) list.addAddress(plain, family)
    else list.addSubnet(plain, Number(bits), family)
  }
  return list
}

/** Removes the zone that a link-local address may carry. */
function withFamily(address: string): [string, 'ipv4' | 'ipv6'] {
  return [address.replace(/%.*/, ''), isIPv6(address) ? 'ipv6' : 'ipv4']
}
