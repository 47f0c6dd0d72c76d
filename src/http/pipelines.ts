import type { Server, ServerResponse } from 'node:http'
import type { Client, Connection } from './connections.ts'
import { inTurn } from './in-turn.ts'
import { readWhile } from './read-while.ts'

/** Requests of a connection that may be unanswered at once; what comes behind them is left unread. */
const MOST_UNANSWERED = 32
/** With so few, more are read. */
const FEW_UNANSWERED = 16
/** Node's parser cannot stop at a request with a body: of those all that arrived together is read, but no more. */
const MOST_WITH_BODIES = 64
/** Requests that wait behind another on their connection. The connection that brings more is cut. */
const MOST_OF_CLIENT = 1_024
const MOST_OF_ALL = 4_096

/**
 * Bounds the requests that clients send without taking the answers to earlier ones. Node parses all that has
 * arrived in one go, 64 KB at a time, and keeps some 4 KB for each of 3,000 requests in it.
 */
export function boundPipelines(server: Server): void {
  const all = { waiting: 0, inTurn: inTurn() }
  server.on('connection', (socket: Bounded) => {
    if (socket.client) bound(server, socket, socket.client, all)
  })
  server.prependListener('request', ({ socket }: { socket: Bounded }, response) => {
    if (socket._httpMessage !== response) socket.wait?.(response)
  })
}

interface Bounded extends Connection {
  /** Counts a request that waits behind another. */
  wait?: (response: ServerResponse) => void
}

interface All {
  waiting: number
  inTurn: ReturnType<typeof inTurn>
}

function bound(server: Server, socket: Bounded, client: Client, all: All): void {
  let waiting = 0
  function count(change: number): void {
    waiting += change
    client.waiting += change
    all.waiting += change
  }
  const readOn = readWhile(server, socket, {
    isFull: () => waiting >= MOST_UNANSWERED - 1,
    isTooMuch: () =>
      waiting >= MOST_WITH_BODIES ||
      (client.waiting >= MOST_OF_CLIENT && !client.isProxy) ||
      all.waiting >= MOST_OF_ALL,
    inTurn: all.inTurn,
  })
  function leave(): void {
    if (waiting === 0) return
    count(-1)
    if (waiting < FEW_UNANSWERED) readOn()
  }
  socket.wait = (response) => {
    count(1)
    response.once('close', leave)
  }
  // Node does not close each answer then, behind a CONNECT for example.
  socket.once('close', () => count(-waiting))
}
