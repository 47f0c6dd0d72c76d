import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A request as bytes, and the expected answer. */
export interface Exchange {
  bytes: Buffer
  status: number
  /** Shortest and longest body of the answer in bytes. */
  shortest: number
  longest: number
}

export interface Figures {
  answers: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Fraction of the time in which the load generator was busy. Near 1, the generator was the bottleneck. */
  loadBusy: number
}

export interface LoadOptions {
  seconds: number
  /** Whether each exchange is sent at most once. The load then ends with the last exchange. */
  once?: boolean
}

export const CONNECTIONS = 64

/** Time after the end in which pending answers must arrive. */
const LAST_ANSWERS_MS = 30_000

/**
 * Sends the exchanges in order over keep-alive connections. Each connection sends the next exchange when the
 * previous one is answered. After the time is over, nothing more is sent, and the missing answers are
 * awaited.
 * @throws at the first unexpected answer
 */
export async function load(port: number, exchanges: Exchange[], options: LoadOptions): Promise<Figures> {
  const { seconds, once: onlyOnce = false } = options
  const latencies: number[] = []
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)))
  const idle = performance.eventLoopUtilization()
  const startedAt = performance.now()
  const end = startedAt + seconds * 1_000
  let sent = 0
  const maxCount = onlyOnce ? exchanges.length : Number.POSITIVE_INFINITY
  const next = () =>
    sent < maxCount && performance.now() < end ? exchanges[sent++ % exchanges.length] : undefined
  const answered = (ms: number) => latencies.push(ms)
  try {
    const late = AbortSignal.timeout(Math.ceil(seconds * 1_000) + LAST_ANSWERS_MS)
    await Promise.all(connections.map((connection) => converse(connection, next, answered, late)))
  } finally {
    for (const { socket } of connections) socket.destroy()
  }
  const { length: answers } = latencies
  const requestsPerSecond = (answers * 1_000) / (performance.now() - startedAt)
  const { utilization: loadBusy } = performance.eventLoopUtilization(idle)
  const sorted = Float64Array.from(latencies).sort()
  const percentile = (share: number) => sorted[Math.ceil(answers * share) - 1] ?? Number.NaN
  return { answers, requestsPerSecond, p50Ms: percentile(0.5), p99Ms: percentile(0.99), loadBusy }
}

interface Connection {
  socket: Socket
  receive: (chunk: Buffer) => void
}

/** Uses one buffer per connection and no stream, because sending must take much less CPU time than answering. */
async function open(port: number): Promise<Connection> {
  const connection: Partial<Connection> = {}
  const callback = (bytes: number, buffer: Uint8Array) => {
    connection.receive?.((buffer as Buffer).subarray(0, bytes))
    return true
  }
  const onread = { buffer: Buffer.allocUnsafe(65_536), callback }
  connection.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
  await once(connection.socket, 'connect')
  return connection as Connection
}

function converse(
  connection: Connection,
  next: () => Exchange | undefined,
  answered: (ms: number) => unknown,
  late: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { socket } = connection
    let exchange: Exchange | undefined
    let sentAt = 0
    const send = () => {
      exchange = next()
      if (!exchange) return resolve()
      sentAt = performance.now()
      socket.write(exchange.bytes)
    }
    const isComplete = framing((status, length) => {
      if (!exchange || status !== exchange.status || length < exchange.shortest || length > exchange.longest)
        throw new Error(`unexpected answer: status ${status}, ${length} bytes`)
    })
    connection.receive = (chunk) => {
      try {
        if (!isComplete(chunk)) return
        answered(performance.now() - sentAt)
        send()
      } catch (error) {
        reject(error)
      }
    }
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    late.addEventListener('abort', () => reject(new Error('an answer did not arrive')))
    send()
  })
}

const HEAD_END = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)
const NOT_MODIFIED = 304

/** @returns a function that takes the chunks of one connection and returns whether an answer is complete */
function framing(check: (status: number, length: number) => void): (chunk: Buffer) => boolean {
  let partial = NOTHING
  let missing = 0
  return (chunk) => {
    if (missing > 0) missing -= chunk.length
    else {
      const bytes = partial.length > 0 ? Buffer.concat([partial, chunk]) : chunk
      const end = bytes.indexOf(HEAD_END)
      if (end < 0) {
        // A copy, because the next chunk uses the same buffer.
        partial = Buffer.from(bytes)
        return false
      }
      partial = NOTHING
      const head = bytes.toString('latin1', 0, end + 2)
      const status = Number(head.slice(9, 12))
      const length = status === NOT_MODIFIED ? 0 : Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1])
      check(status, length)
      missing = end + HEAD_END.length + length - bytes.length
    }
    if (missing < 0) throw new Error('an answer is longer than its content-length')
    return missing === 0
  }
}
