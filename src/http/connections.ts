import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'

/** A connection with more unanswered requests is closed. */
const MAX_UNANSWERED = 32

/** A connection, with what the public events of its server say about it. */
export interface Connection extends Socket {
  /** The answers that are not done yet, in the order of their requests. */
  unanswered?: Set<ServerResponse>
  /** The request that came last, unless it came whole and is answered. */
  latest?: IncomingMessage | undefined
  /** An answer has announced the close: no later request is carried out (RFC 9112, section 9.6). */
  isClosing?: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Those that are open. */
    connections: ReadonlySet<Connection>
  }
}

interface Options {
  maxConnections: number
  /** Addresses, networks or `loopback`. */
  trustProxy: string[]
  /** The name under which a client address is counted. */
  nameOf: (address: string) => string
}

/**
 * Counts the open connections and the unanswered requests on each. One client address may have at most half
 * of all connections, so it cannot shut the others out.
 */
export function openConnections(
  server: Server,
  { maxConnections, trustProxy, nameOf }: Options,
): ReadonlySet<Connection> {
  const connections = new Set<Connection>()
  /** How many each client address has. */
  const clients = new Map<string, number>()
  const proxies = blockList(trustProxy)
  const mostOfClient = Math.ceil(maxConnections / 2)

  server.on('connection', (socket: Connection) => {
    const { remoteAddress } = socket
    // It is gone already.
    if (remoteAddress === undefined) return void socket.destroy()
    const name = nameOf(remoteAddress)
    const isProxy = proxies.check(...withFamily(remoteAddress))
    const count = clients.get(name) ?? 0
    if (count >= mostOfClient && !isProxy) return void socket.destroy()
    clients.set(name, count + 1)
    socket.unanswered = new Set()
    connections.add(socket)
    socket.once('close', () => {
      connections.delete(socket)
      const left = (clients.get(name) ?? 0) - 1
      if (left > 0) clients.set(name, left)
      else clients.delete(name)
    })
  })
  server.prependListener('request', countUnanswered)
  return connections
}

/**
 * Node parses everything that has arrived in one go, some 3,000 requests in 64 KB. Once the connection is
 * closed, the rest of them are not carried out (answer-first.ts).
 */
export function countUnanswered(request: IncomingMessage, response: ServerResponse): void {
  const socket: Connection = request.socket
  const { unanswered } = socket
  if (!unanswered || socket.destroyed || unanswered.has(response)) return
  if (unanswered.size >= MAX_UNANSWERED) {
    cut(socket)
    return
  }
  socket.latest = request
  unanswered.add(response)
  response.once('close', () => {
    unanswered.delete(response)
    // An idle connection need not keep the headers of its last request.
    if (socket.latest === request && request.complete) socket.latest = undefined
  })
}

/**
 * Node keeps the requests of a connection until its 'close' event, which comes after it has read all other
 * connections that have sent something. The requests of a thousand connections would not fit into memory.
 */
function cut(socket: Socket): void {
  socket.destroy()
  process.nextTick(() => {
    // Node aborts thousands of requests, each with an error whose stack trace is never read.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    socket.emit('close')
    Error.stackTraceLimit = stackTraceLimit
  })
}

/** The answer that a client gets next. */
export function firstUnanswered({ unanswered }: Connection): ServerResponse | undefined {
  return unanswered?.values().next().value
}

/** The answer that a client gets last. */
export function lastUnanswered({ unanswered = new Set() }: Connection): ServerResponse | undefined {
  return [...unanswered].at(-1)
}

function blockList(named: string[]): BlockList {
  const list = new BlockList()
  for (const one of named.flatMap((name) => (name === 'loopback' ? ['127.0.0.0/8', '::1'] : [name]))) {
    const [address = '', bits] = one.split('/')
    const [plain, family] = withFamily(address)
    if (bits === undefined) list.addAddress(plain, family)
    else list.addSubnet(plain, Number(bits), family)
  }
  return list
}

/** Without the zone that a link-local address may name. */
function withFamily(address: string): [string, 'ipv4' | 'ipv6'] {
  return [address.replace(/%.*/, ''), isIPv6(address) ? 'ipv6' : 'ipv4']
}
