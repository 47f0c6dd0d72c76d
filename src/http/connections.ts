import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A connection, with what Node keeps at its socket. */
export interface Connection extends Socket {
  _handle?: { bytesWritten: number; writeQueueSize: number } | null
  /** What is being answered; the answers to pipelined requests wait behind it. */
  _httpMessage?: ServerResponse | null
  /** `incoming` is the request that came last. */
  parser?: { incoming: IncomingMessage | null } | null
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Those that are open; Node keeps its own list to itself. */
    connections: ReadonlySet<Connection>
  }
}

export function openConnections(server: Server): ReadonlySet<Connection> {
  const connections = new Set<Connection>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}
