import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanup } from './cleanup.ts'

export interface Proxy {
  port: number
  /** What becomes of every connection, the open ones too. */
  mode: 'pass' | 'stall'
  /** Breaks every connection, and takes no new ones until `restore`. */
  cut(): void
  restore(): void
  /** Forgets the open connections, as a firewall does: neither side hears anything of the other any more. */
  forget(): void
  /** The same with one of them, by its client's line. */
  forgetOne(line: Socket): void
  /** Looks at what the client sends on one of its lines; true breaks that as soon as the server has it. */
  onSend: (bytes: Buffer, line: Socket) => boolean
}

/** A line between a client and a server on this machine that can be cut, and that can fall silent. */
export async function startProxy(t: TestContext, target: { host: string; port: number }): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let open = true
  let forgets = 0
  const forgotten = new WeakSet<Socket>()
  const server = createServer((client) => {
    if (!open) return client.destroy()
    const upstream = connect(target)
    const made = forgets
    const isKnown = () => made === forgets && !forgotten.has(client)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        // Not destroyed: what was sent before still arrives.
        if (isKnown()) to.end()
      })
    }
    client.on('data', (bytes) => {
      if (proxy.mode === 'stall' || !isKnown()) return
      const breaks = proxy.onSend(bytes, client)
      upstream.write(bytes)
      if (breaks) client.destroy()
    })
    upstream.on('data', (bytes) => {
      if (proxy.mode === 'pass' && isKnown()) client.write(bytes)
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
      forgets += 1
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
