import net from 'node:net'

const LONGEST_MS = 5_000

/**
 * Sends bytes on a connection of their own, ends the sending side, and returns all that comes until the
 * service closes. Fails when that is silent for five seconds.
 */
export function exchange(port: number, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(bytes))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.setTimeout(LONGEST_MS, () => socket.destroy(new Error(`silent for ${LONGEST_MS} ms`)))
    // One that is refused while it still sends may be cut off, after its answer.
    socket.on('error', (error: Error & { code?: string }) => {
      if (chunks.length === 0 || error.code === undefined) reject(error)
    })
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
}
