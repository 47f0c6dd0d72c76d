import net from 'node:net'
import type { Request } from './contract-requests.ts'

export interface Answer {
  status: number
  /** By lower-case name. */
  headers: Record<string, string>
  text: string
}

/** Longer than any answer takes, on a busy machine too. */
const PATIENCE_MS = 30_000

/** One kept connection, on which several requests may be under way at once. */
export function pipeline(port: number) {
  let socket: net.Socket | undefined

  function opened(): net.Socket {
    if (!socket || socket.destroyed || !socket.writable) {
      socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    }
    return socket
  }

  /** @returns as many answers as came until the service closed the connection */
  function exchange(requests: Request[]): Promise<Answer[]> {
    const open = opened()
    return new Promise((resolve, reject) => {
      const answers: Answer[] = []
      let rest: Buffer = Buffer.alloc(0)
      const finish = (error?: Error): void => {
        open.removeAllListeners().on('error', () => undefined)
        if (error || open.errored || open.readableEnded || answers.at(-1)?.headers.connection === 'close')
          open.destroy()
        if (error) reject(error)
        else resolve(answers)
      }
      open.on('data', (chunk: Buffer) => {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        try {
          rest = take(rest, requests, answers)
        } catch (error) {
          return finish(error as Error)
        }
        const last = answers.at(-1)
        if (answers.length === requests.length || last?.headers.connection === 'close') finish()
      })
      open.on('end', () => finish(rest.length > 0 ? new Error(`half an answer: ${rest}`) : undefined))
      // Where bytes behind the last request that it reads are on their way, the end comes as a reset.
      open.on('error', (error) => finish(requests.length > 1 ? undefined : error))
      open.setTimeout(PATIENCE_MS, () => finish(new Error(`no answer after ${PATIENCE_MS} ms`)))
      open.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
    })
  }

  /** A request that nothing may follow. @returns all answers until the service closed the connection */
  function exchangeLast({ bytes, method }: Request): Promise<Answer[]> {
    const open = opened()
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      const finish = (): void => {
        open.removeAllListeners().on('error', () => undefined)
        open.destroy()
        const answers: Answer[] = []
        try {
          const rest = take(Buffer.concat(chunks), Array(1_000).fill({ method }), answers)
          if (rest.length > 0) throw new Error(`half an answer: ${rest}`)
          resolve(answers)
        } catch (error) {
          reject(error)
        }
      }
      open.on('data', (chunk: Buffer) => chunks.push(chunk))
      open.on('close', finish)
      // With bytes of the request unread, the service's end of the connection may come as a reset.
      open.on('error', () => undefined)
      open.setTimeout(PATIENCE_MS, () => reject(new Error(`no answer after ${PATIENCE_MS} ms`)))
      open.end(bytes)
    })
  }

  return { exchange, exchangeLast, close: () => void socket?.destroy() }
}

/** Moves whole answers from the bytes to the list. @returns the bytes that are left */
function take(bytes: Buffer, requests: Pick<Request, 'method'>[], answers: Answer[]): Buffer {
  let start = 0
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n', start)
    if (end < 0 || answers.length === requests.length) return bytes.subarray(start)
    const [first = '', ...lines] = bytes.toString('latin1', start, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (!status) throw new Error(`no status line: ${first}`)
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const [name = '', value = ''] = line.split(/: ?(.*)/s, 2)
      const known = headers[name.toLowerCase()]
      headers[name.toLowerCase()] = known === undefined ? value : `${known}, ${value}`
    }
    const begin = end + 4
    const bodiless =
      requests[answers.length]?.method === 'HEAD' || status === 204 || status === 304 || status < 200
    if (!bodiless && !/^\d+$/.test(headers['content-length'] ?? '')) throw new Error(`no length: ${first}`)
    const after = begin + (bodiless ? 0 : Number(headers['content-length']))
    if (after > bytes.length) return bytes.subarray(start)
    if (status >= 200) answers.push({ status, headers, text: bytes.toString('utf8', begin, after) })
    start = after
  }
}
