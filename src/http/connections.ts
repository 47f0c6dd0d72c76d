import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'

/** What Node parses a connection with. */
export interface Parser {
  /** The request that came last. */
  incoming: IncomingMessage | null
  /** Called with each request; what it returns tells the parser how to go on. */
  onIncoming(request: IncomingMessage, keepAlive: boolean): number
  /** @returns how many bytes were read, or what is wrong with them */
  execute(bytes: Buffer): number | Error
  /** The bytes that are being read. */
  getCurrentBuffer(): Buffer
  [callback: number]: (result: number | Error) => void
}

/** A connection, with what Node keeps at its socket. */
export interface Connection extends Socket {
  _handle?: { bytesWritten: number; writeQueueSize: number; reading: boolean; readStart(): void } | null
  /** What is being answered; the answers to pipelined requests wait behind it. */
  _httpMessage?: ServerResponse | null
  /** Node reads no more until the client has taken what waits for it. */
  _paused?: boolean
  parser?: Parser | null
  client?: Client
}

/** Whoever is at the other end of connections: an address, or one of the proxies that have names. */
export interface Client {
  connections: number
  /** Its requests that came before an earlier one on their connection was answered. */
  waiting: number
  isProxy: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Those that are open; Node keeps its own list to itself. */
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

/** Holds the open ones; of one client address at most half of all, so that nobody shuts the others out. */
export function openConnections(
  server: Server,
  { maxConnections, trustProxy, nameOf }: Options,
): ReadonlySet<Connection> {
  const connections = new Set<Connection>()
  const clients = new Map<string, Client>()
  const proxies = blockList(trustProxy)
  const mostOfClient = Math.ceil(maxConnections / 2)

  server.on('connection', (socket: Connection) => {
    const { remoteAddress } = socket
    // It is gone already.
    if (remoteAddress === undefined) return void socket.destroy()
    const name = nameOf(remoteAddress)
    const isProxy = proxies.check(...withFamily(remoteAddress))
    const client = clients.get(name) ?? { connections: 0, waiting: 0, isProxy }
    if (client.connections >= mostOfClient && !isProxy) return void socket.destroy()
    client.connections += 1
    clients.set(name, client)
    socket.client = client
    connections.add(socket)
    socket.once('close', () => {
      connections.delete(socket)
      client.connections -= 1
      if (client.connections === 0) clients.delete(name)
    })
  })
  return connections
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
