import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanup } from './cleanup.ts'

export interface Proxy {
  port: number
  /** Forwards or stalls all connections, including connections that are already open. */
  mode: 'pass' | 'stall'
  /** Breaks all connections, and refuses new connections until `restore`. */
  cut(): void
  restore(): void
  /** Drops all packets of the open connections silently, as a firewall may do. */
  forget(): void
  /** Drops all packets of one open connection, which is identified by its client socket. */
  forgetOne(line: Socket): void
  /**
   * Called with the bytes that a client sends; returning true breaks the connection after they are forwarded.
   */
  onSend: (bytes: Buffer, line: Socket) => boolean
}

/** Starts a proxy to a server on this machine that can break and stall connections. */
export async function startProxy(t: TestContext, target: { host: string; port: number }): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let open = true
  let generation = 0
  const forgotten = new WeakSet<Socket>()
  const server = createServer((client) => {
    if (!open) return client.destroy()
    const upstream = connect(target)
    const made = generation
    const isConnected = () => made === generation && !forgotten.has(client)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        // Calls `end` instead of `destroy`, so bytes sent earlier still arrive.
        if (isConnected()) to.end()
      })
    }
    client.on('data', (bytes) => {
      if (proxy.mode === 'stall' || !isConnected()) return
      const breaks = proxy.onSend(bytes, client)
      upstream.write(bytes)
      if (breaks) client.destroy()
    })
    upstream.on('data', (bytes) => {
      if (proxy.mode === 'pass' && isConnected()) client.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: Proxy = {
    port: (server.address() as { port: number }).port,
    mode: 'pass',
    cut() {
      open = false
      for (const socket of sockets) socket.destroy()
    },
    restore() {
      open = true
    },
    forget() {
      generation += 1
    },
    forgetOne: (line) => void forgotten.add(line),
    onSend: () => false,
  }
  cleanup(t).defer(() => {
    server.close()
    proxy.cut()
  })
  return proxy
}
