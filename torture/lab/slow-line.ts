import net from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

// A line to Redis whose answers all take some time, in a thread of its own: it goes on while a process hangs.

const { target, delayMs }: { target: number; delayMs: number } = workerData

const server = net.createServer({ noDelay: true }, (client) => {
  const upstream = net.connect({ port: target, host: '127.0.0.1', noDelay: true })
  client.on('data', (bytes) => upstream.write(bytes))
  upstream.on('data', (bytes) => setTimeout(() => client.write(bytes), delayMs))
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('error', () => undefined)
    one.on('close', () => other.destroy())
  }
})
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as net.AddressInfo).port))
