import net from 'node:net'

/** A request as it goes over the wire. */
export interface Wire {
  bytes: Buffer
  /** As the answer to a HEAD has no body. */
  method: string
  /** No request to the parser: the connection is not used again, and the id in the answer is made up. */
  broken?: boolean
}

/** Longer than any answer takes, on a busy machine too. */
const PATIENCE_MS = 20_000

/** One kept connection, on which a request follows the answer to the one before. */
export function connection(port: number) {
  let socket: net.Socket | undefined

  function ask({ bytes, method, broken }: Wire): Promise<Buffer> {
    if (!socket || socket.destroyed || !socket.writable) {
      socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    }
    const open = socket
    return new Promise((resolve, reject) => {
      let answer = Buffer.alloc(0)
      const finish = (error?: Error): void => {
        open.removeAllListeners().on('error', () => undefined)
        if (error || broken || /\r\nconnection: close\r\n/i.test(headOf(answer))) open.destroy()
        if (error && answer.length === 0) reject(error)
        else resolve(answer)
      }
      open.on('data', (chunk: Buffer) => {
        answer = Buffer.concat([answer, chunk])
        if (answer.length >= lengthOf(answer, method)) finish()
      })
      open.on('error', finish)
      open.on('close', () => finish(new Error('the connection was closed without an answer')))
      open.setTimeout(PATIENCE_MS, () => finish(new Error(`no answer after ${PATIENCE_MS} ms`)))
      open.write(bytes)
    })
  }
  return { ask, close: () => void socket?.destroy() }
}

/** With the empty line behind it; empty while it has not arrived whole. */
export function headOf(answer: Buffer): string {
  const end = answer.indexOf('\r\n\r\n')
  return end < 0 ? '' : answer.toString('latin1', 0, end + 4)
}

/** How many bytes an answer has, as far as it says so by now. */
function lengthOf(answer: Buffer, method: string): number {
  const head = headOf(answer)
  if (head === '') return Number.POSITIVE_INFINITY
  if (method === 'HEAD' || /^HTTP\/1\.1 (?:204|304)/.test(head)) return head.length
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length !== undefined) return head.length + Number(length)
  return answer.subarray(-5).equals(Buffer.from('0\r\n\r\n')) ? answer.length : Number.POSITIVE_INFINITY
}
