import type { IncomingMessage, Server } from 'node:http'
import type { Connection, Parser } from './connections.ts'

/** What tells Node's parser to stop behind a request: it takes all that follows for another protocol. */
const STOP = 2

interface Bounds {
  /** Whether no more is to be read until earlier requests are answered. */
  isFull(): boolean
  /** Whether the connection is to be cut when it brings a request that waits behind another. */
  isTooMuch(): boolean
  /** Calls back soon, but lets others have their turn. */
  inTurn(call: () => void): void
}

/**
 * Lets Node read a connection as long as it is allowed, to the very request. A request that offers another
 * protocol, as in `Upgrade: h2c`, is answered as any other, and what comes behind it is read: Node's parser
 * stops there and would drop the rest of the packet.
 *
 * @returns a function that reads on, to be called once that is allowed again
 */
export function readWhile(server: Server, socket: Connection, bounds: Bounds): () => void {
  const parser = socket.parser as Parser
  const stops = stopsOf(socket, parser, bounds)
  const onExecuteName = (parser.constructor as unknown as { kOnExecute: number }).kOnExecute
  const onExecute = parser[onExecuteName] as Parser[number]
  const isFull = (): boolean => bounds.isFull() || socket._paused === true
  let held = false

  /** @returns what the parser has left of the bytes, if it goes on with them */
  function restOf(bytes: Buffer, result: number | Error): Buffer | undefined {
    if (typeof result !== 'number' || socket.parser !== parser || socket.destroyed) return undefined
    if (stops.isStopped() || result === bytes.length) return bytes.subarray(result)
    server.emit('clientError', new Error('These bytes are no request.'), socket)
    return undefined
  }

  function goOn(): void {
    if (!held || isFull() || !socket.writable) return
    held = false
    socket.resume()
  }

  function hold(bytes: Buffer): void {
    held = true
    socket.pause()
    if (bytes.length > 0) socket.unshift(bytes)
  }

  function feed(bytes: Buffer): void {
    // Node reads on by itself as well.
    if (held) {
      hold(bytes)
      bounds.inTurn(goOn)
      return
    }
    let rest: Buffer | undefined = bytes
    while (rest && rest.length > 0 && !isFull()) {
      const result: number | Error = parser.execute(rest)
      onExecute(result)
      rest = restOf(rest, result)
    }
    if (rest && isFull()) hold(rest)
  }

  /** From now on the bytes come through here, which Node otherwise gives to its parser out of sight. */
  function feedFromNowOn(rest: Buffer): void {
    parser[onExecuteName] = onExecute
    socket.removeAllListeners('data').on('data', feed)
    const handle = socket._handle
    // To its stream the socket has been reading all the time, also where Node had stopped that.
    if (handle && !handle.reading) {
      handle.reading = true
      handle.readStart()
    }
    hold(rest)
    bounds.inTurn(goOn)
  }

  parser[onExecuteName] = (result) => {
    onExecute(result)
    if (socket.parser !== parser || !(stops.conceal() || bounds.isFull())) return
    const rest = restOf(parser.getCurrentBuffer(), result)
    if (rest && (rest.length > 0 || bounds.isFull())) feedFromNowOn(rest)
  }
  return () => {
    if (held) bounds.inTurn(goOn)
  }
}

/** Has the parser stop where it is to, and tells where it did. */
function stopsOf(socket: Connection, parser: Parser, { isFull, isTooMuch }: Bounds) {
  const onIncoming = parser.onIncoming
  /** Set until the bytes behind the latest request are reached, if the parser stops there. */
  let stopped = false
  let conceals = false

  parser.onIncoming = (request, keepAlive) => {
    if (socket.destroyed) return STOP
    if (socket._httpMessage && isTooMuch()) {
      socket.destroy()
      return STOP
    }
    const told = onIncoming(request, keepAlive)
    // Behind one that closes the connection the parser refuses whatever comes.
    const stops = told !== STOP && keepAlive && isFull() && !hasBody(request)
    stopped = stops || request.headers.upgrade !== undefined
    conceals = stopped
    return stops ? STOP : told
  }

  return {
    /** Whether the parser conceals what is wrong with bytes: it does behind such a request. */
    conceal: () => conceals,
    /** Whether the parser has stopped rather than found a mistake. */
    isStopped(): boolean {
      const isWhole = parser.incoming?.complete !== false
      const was = stopped && isWhole
      if (isWhole) stopped = false
      return was
    },
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
