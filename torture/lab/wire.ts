import assert from 'node:assert/strict'
import net from 'node:net'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Answer as Received } from '../../src/testing/client.ts'

// HTTP as bytes, for requests that a client library would not send and details that it would not show.

export interface Answer extends Received {
  /** Headers by lower-case name. */
  headers: Record<string, string>
  bytes: Buffer
}

/** A request as it is sent. */
export interface WireRequest {
  bytes: Buffer
  /** Needed to read the answer, because an answer to HEAD has no body. */
  method: string
}

/** Longer than any answer takes, even on a busy machine. */
const TIMEOUT_MS = 30_000
const DECODERS: Record<string, (body: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  gzip: gunzipSync,
}
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [\w '-]+$/

/**
 * Splits the bytes from a connection into complete answers. Skips interim answers such as 100 Continue.
 * @param methods methods of the requests, in order; only HEAD makes a difference
 * @throws {AssertionError} if the bytes are not HTTP
 */
export function parseAnswers(bytes: Buffer, methods: string[] = []): { answers: Answer[]; rest: Buffer } {
  const answers: Answer[] = []
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\r\n\r\n', start)
    if (end < 0) return { answers, rest: bytes.subarray(start) }
    const [statusLine = '', ...lines] = bytes.toString('latin1', start, end).split('\r\n')
    const status = Number(STATUS_LINE.exec(statusLine)?.[1])
    assert.ok(status >= 100, `not an answer: ${statusLine}`)
    const headers: Record<string, string> = {}
    for (const line of lines) {
      assert.match(line, /^[\w-]+: [^\r\n\0]*$/)
      const [name = '', value = ''] = line.split(/: (.*)/s, 2)
      const existing = headers[name.toLowerCase()]
      headers[name.toLowerCase()] = existing === undefined ? value : `${existing}, ${value}`
    }
    const bodiless = methods[answers.length] === 'HEAD' || status < 200 || status === 204 || status === 304
    if (!bodiless) assert.match(headers['content-length'] ?? '', /^\d+$/, `no length: ${statusLine}`)
    const after = end + 4 + (bodiless ? 0 : Number(headers['content-length']))
    if (after > bytes.length) return { answers, rest: bytes.subarray(start) }
    const body = bytes.subarray(end + 4, after)
    // The answer to a HEAD names an encoding but has no bytes.
    const decode = body.length > 0 ? DECODERS[headers['content-encoding'] ?? ''] : undefined
    const text = String(decode?.(body) ?? body)
    if (status >= 200) {
      const answer = { status, headers, text, bytes: bytes.subarray(start, after) }
      answers.push(Object.defineProperty(answer, 'body', { get: () => JSON.parse(text) }) as Answer)
    }
    start = after
  }
}

/** Parses all bytes from a closed connection. @throws {AssertionError} if the last answer is incomplete */
export function readAnswers(bytes: Buffer, methods: string[] = []): Answer[] {
  const { answers, rest } = parseAnswers(bytes, methods)
  assert.equal(rest.length, 0, `incomplete answer: ${rest}`)
  return answers
}

/** The head of an answer with the empty line after it; empty if the head is incomplete. */
export function headOf(answer: Buffer): string {
  const end = answer.indexOf('\r\n\r\n')
  return end < 0 ? '' : answer.toString('latin1', 0, end + 4)
}

interface ConverseOptions {
  /** Whether the sending side stays open until the service closes the connection. */
  staysOpen?: boolean
  timeoutMs?: number
}

/** Sends bytes over an existing connection. @returns all bytes until the other side closes */
function converse(socket: net.Socket, bytes: Buffer | string, options: ConverseOptions): Promise<Buffer> {
  const { staysOpen = false, timeoutMs = TIMEOUT_MS } = options
  const chunks: Buffer[] = []
  const received = (): Buffer => Buffer.concat(chunks)
  const content = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
  return new Promise((resolve, reject) => {
    const fail = (what: string): void =>
      void socket.destroy(
        new Error(`${what} after ${timeoutMs} ms: ${received().toString('latin1', 0, 300)}`),
      )
    const timer = setTimeout(() => fail('not closed'), timeoutMs)
    const finish = (error?: Error & { code?: string }): void => {
      clearTimeout(timer)
      socket.removeAllListeners().on('error', () => undefined)
      socket.destroy()
      // The service may reset a connection instead of closing it.
      if (error && !error.code) reject(error)
      else resolve(received())
    }
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', finish)
    socket.on('close', () => finish())
    socket.on('end', () => socket.end())
    socket.write(content)
    if (!staysOpen) socket.end()
  })
}

interface ExchangeOptions extends ConverseOptions {
  localAddress?: string
}

/** Sends bytes over a new connection. @returns all bytes until the other side closes */
export function exchange(
  port: number,
  bytes: Buffer | string,
  exchangeOptions: ExchangeOptions = {},
): Promise<Buffer> {
  const { localAddress, ...options } = exchangeOptions
  const at = { port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true }
  return converse(net.connect({ ...at, ...(localAddress && { localAddress }) }), bytes, options)
}

/**
 * A keep-alive connection that can send several requests at once.
 * @param closeTimeoutMs how long the service may take to close the connection after `askLast`
 */
export function connection(port: number, closeTimeoutMs = TIMEOUT_MS) {
  let socket: net.Socket | undefined

  function opened(): net.Socket {
    if (!socket || socket.destroyed || !socket.writable)
      socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    return socket
  }

  /** @returns the answers, fewer than requests if the service closed the connection */
  function ask(requests: WireRequest[]): Promise<Answer[]> {
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
          const parsed = parseAnswers(Buffer.concat([rest, chunk]), methods.slice(answers.length))
          answers.push(...parsed.answers)
          rest = parsed.rest
        } catch (error) {
          return finish(error as Error)
        }
        if (answers.length >= requests.length || isClosing()) finish()
      })
      open.on('end', () => finish(rest.length > 0 ? new Error(`incomplete answer: ${rest}`) : undefined))
      // The service closes with a reset if bytes arrive after the last request that it reads.
      open.on('error', (error) => finish(requests.length > 1 ? undefined : error))
      open.setTimeout(TIMEOUT_MS, () => finish(new Error(`no answer after ${TIMEOUT_MS} ms`)))
      open.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
    })
  }

  return {
    ask,
    /** Sends a request that none may follow. @returns all answers until the service closes the connection */
    askLast: async ({ bytes, method }: WireRequest): Promise<Answer[]> =>
      readAnswers(await converse(opened(), bytes, { timeoutMs: closeTimeoutMs }), [method]),
    close: () => void socket?.destroy(),
  }
}
