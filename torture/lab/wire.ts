import assert from 'node:assert/strict'
import net from 'node:net'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Answer as Received } from '../../src/testing/client.ts'

// HTTP as bytes: what a client library would not send, and what it would not show.

/** An answer as it came. */
export interface Answer extends Received {
  /** By lower-case name. */
  headers: Record<string, string>
  bytes: Buffer
}

/** A request as it goes over the wire. */
export interface Wire {
  bytes: Buffer
  /** As the answer to a HEAD has no body. */
  method: string
}

/** Longer than any answer takes, on a busy machine too. */
const PATIENCE_MS = 30_000
const DECODERS: Record<string, (body: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  gzip: gunzipSync,
}
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\w '-]+$/

/**
 * Takes apart what came over a connection: whole answers, one behind the other. What is only an announcement,
 * such as 100 Continue, is passed over.
 *
 * @param methods of the requests; all but HEAD alike
 * @throws where it is not HTTP
 */
export function takeAnswers(bytes: Buffer, methods: string[] = []): { answers: Answer[]; rest: Buffer } {
  const answers: Answer[] = []
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\r\n\r\n', start)
    if (end < 0) return { answers, rest: bytes.subarray(start) }
    const [first = '', ...lines] = bytes.toString('latin1', start, end).split('\r\n')
    const status = Number(STATUS_LINE.exec(first)?.[1])
    assert.ok(status >= 100, `not an answer: ${first}`)
    const headers: Record<string, string> = {}
    for (const line of lines) {
      assert.match(line, /^[\w-]+: [^\r\n\0]*$/)
      const [name = '', value = ''] = line.split(/: (.*)/s, 2)
      const known = headers[name.toLowerCase()]
      headers[name.toLowerCase()] = known === undefined ? value : `${known}, ${value}`
    }
    const bodiless = methods[answers.length] === 'HEAD' || status < 200 || status === 204 || status === 304
    if (!bodiless) assert.match(headers['content-length'] ?? '', /^\d+$/, `no length: ${first}`)
    const after = end + 4 + (bodiless ? 0 : Number(headers['content-length']))
    if (after > bytes.length) return { answers, rest: bytes.subarray(start) }
    const body = bytes.subarray(end + 4, after)
    // A HEAD has the headers of a coding, and no bytes in it.
    const decode = body.length > 0 ? DECODERS[headers['content-encoding'] ?? ''] : undefined
    const text = String(decode?.(body) ?? body)
    if (status >= 200) {
      const answer = { status, headers, text, bytes: bytes.subarray(start, after) }
      answers.push(Object.defineProperty(answer, 'body', { get: () => JSON.parse(text) }) as Answer)
    }
    start = after
  }
}

/** All that came over a connection that has ended. */
export function readAnswers(bytes: Buffer, methods: string[] = []): Answer[] {
  const { answers, rest } = takeAnswers(bytes, methods)
  assert.equal(rest.length, 0, `half an answer: ${rest}`)
  return answers
}

/** With the empty line behind it; empty while it has not arrived whole. */
export function headOf(answer: Buffer): string {
  const end = answer.indexOf('\r\n\r\n')
  return end < 0 ? '' : answer.toString('latin1', 0, end + 4)
}

interface Conversation {
  /** How long nothing has to come until the sending side is ended; not at all after an answer that closes. */
  endAfterMs?: number
  patienceMs?: number
  /** Whether the connection may be reset when so much has come: in any case, unless it says otherwise. */
  mayReset?: (came: Buffer) => boolean
  /** Sent again and again, as long as the other side takes it. */
  endless?: Buffer | undefined
  /** Looks at what came so far; true ends it. */
  until?: (came: Buffer) => boolean
}

/** Sends bytes over a connection, and nothing behind them. @returns all that comes until the other side closes */
function converse(socket: net.Socket, bytes: Buffer | string, options: Conversation): Promise<Buffer> {
  const { endAfterMs = 0, patienceMs = PATIENCE_MS, mayReset = () => true, endless, until } = options
  const chunks: Buffer[] = []
  const came = (): Buffer => Buffer.concat(chunks)
  const content = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
  return new Promise((resolve, reject) => {
    const fail = (what: string): void =>
      void socket.destroy(new Error(`${what} after ${patienceMs} ms: ${came().toString('latin1', 0, 300)}`))
    const patience = setTimeout(() => fail('not closed'), patienceMs)
    const finish = (error?: Error & { code?: string }): void => {
      clearTimeout(patience)
      socket.removeAllListeners().on('error', () => undefined)
      socket.destroy()
      if (error && !(error.code && mayReset(came()))) reject(error)
      else resolve(came())
    }
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (until?.(came())) finish()
    })
    socket.on('error', finish)
    socket.on('close', () => finish())
    socket.on('end', () => socket.end())
    socket.write(content)
    const sendMore = (): void => {
      while (endless && socket.writable && socket.write(endless)) {}
    }
    socket.on('drain', sendMore)
    sendMore()
    if (endAfterMs === 0) socket.end()
    else if (endAfterMs < Infinity)
      socket.setTimeout(endAfterMs, () => {
        if (!/\r\nconnection: close\r\n/i.test(came().toString('latin1'))) socket.end()
      })
  })
}

interface Exchange extends Conversation {
  localAddress?: string
}

/** Sends bytes over a connection of their own. @returns all that comes until the other side closes */
export function exchange(port: number, bytes: Buffer | string, options: Exchange = {}): Promise<Buffer> {
  const { localAddress, ...how } = options
  const at = { port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true }
  return converse(net.connect({ ...at, ...(localAddress && { localAddress }) }), bytes, how)
}

/**
 * One kept connection, on which several requests may be under way at once.
 *
 * @param lastMs how long the service may take to close it behind `askLast`
 */
export function connection(port: number, lastMs = PATIENCE_MS) {
  let socket: net.Socket | undefined

  function opened(): net.Socket {
    if (!socket || socket.destroyed || !socket.writable)
      socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    return socket
  }

  /** @returns as many answers as came until the service closed the connection */
  function ask(requests: Wire[]): Promise<Answer[]> {
    const open = opened()
    const methods = requests.map(({ method }) => method)
    const answers: Answer[] = []
    let rest: Buffer = Buffer.alloc(0)
    return new Promise((resolve, reject) => {
      const isClosing = (): boolean => answers.at(-1)?.headers.connection === 'close'
      const finish = (error?: Error): void => {
        open.removeAllListeners().on('error', () => undefined)
        if (error || open.errored || open.readableEnded || isClosing()) open.destroy()
        if (error) reject(error)
        else resolve(answers)
      }
      open.on('data', (chunk: Buffer) => {
        try {
          const taken = takeAnswers(Buffer.concat([rest, chunk]), methods.slice(answers.length))
          answers.push(...taken.answers)
          rest = taken.rest
        } catch (error) {
          return finish(error as Error)
        }
        if (answers.length >= requests.length || isClosing()) finish()
      })
      open.on('end', () => finish(rest.length > 0 ? new Error(`half an answer: ${rest}`) : undefined))
      // Where bytes behind the last request that it reads are on their way, the end comes as a reset.
      open.on('error', (error) => finish(requests.length > 1 ? undefined : error))
      open.setTimeout(PATIENCE_MS, () => finish(new Error(`no answer after ${PATIENCE_MS} ms`)))
      open.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
    })
  }

  return {
    ask,
    /** For a request that nothing may follow. @returns all answers until the service closed the connection */
    askLast: async ({ bytes, method }: Wire): Promise<Answer[]> =>
      readAnswers(await converse(opened(), bytes, { patienceMs: lastMs }), [method]),
    close: () => void socket?.destroy(),
  }
}
