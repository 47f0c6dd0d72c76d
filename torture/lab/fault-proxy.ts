import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import type { Random } from './random.ts'

/** Treatment of the bytes of every connection, in both directions. */
export type Fault =
  | { kind: 'none' }
  /** Delays each chunk. */
  | { kind: 'delay'; ms: number }
  /** Delays one chunk in ten and all chunks after it, as a lost and repeated packet does. */
  | { kind: 'loss'; ms: number }
  /** Accepts connections but delivers nothing. */
  | { kind: 'stall' }
  /** Resets all connections, including new ones. */
  | { kind: 'reset' }
  /** Resets each connection after this many bytes in one direction. */
  | { kind: 'cut'; afterBytes: number }
  /** Delivers each byte separately. */
  | { kind: 'bytes' }

export interface FaultProxy {
  port: number
  /** Applies to existing and new connections. */
  set(fault: Fault): void
  /** Sets the port of the server for new connections. */
  redirect(to: number): void
}

/** Starts a proxy to a server on this machine that can have each `Fault`. */
export async function startFaultProxy(t: TestContext, port: number, random: Random): Promise<FaultProxy> {
  let target = port
  let fault: Fault = { kind: 'none' }
  let changed = Promise.withResolvers<void>()
  const resets = new Set<() => void>()

  /** Forwards one direction. As with TCP, delayed bytes arrive later and no bytes are skipped. */
  function forward(source: Socket, destination: Socket, reset: () => void): void {
    let passed = 0
    let previous = Promise.resolve()
    async function deliver(bytes: Buffer, receivedAt: number): Promise<void> {
      while (fault.kind === 'stall') await changed.promise
      if (fault.kind === 'delay') await pause(Math.max(0, receivedAt + fault.ms - performance.now()))
      if (fault.kind === 'loss' && random.chance(0.1)) await pause(fault.ms)
      passed += bytes.length
      if (fault.kind === 'cut' && passed > fault.afterBytes) return reset()
      if (fault.kind !== 'bytes') return void destination.write(bytes)
      for (const byte of bytes) {
        destination.write(Buffer.of(byte))
        await nextTurn()
      }
    }
    source.setNoDelay()
    source.on('error', () => undefined)
    source.on('data', (bytes) => {
      const receivedAt = performance.now()
      previous = previous.then(() => deliver(bytes, receivedAt))
    })
    source.on('close', () => previous.then(() => destination.end()))
  }

  const server = createServer((client) => {
    if (fault.kind === 'reset') return void client.resetAndDestroy()
    const upstream = connect(target, '127.0.0.1')
    const reset = (): void => {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
    resets.add(reset)
    client.on('close', () => resets.delete(reset))
    forward(client, upstream, reset)
    forward(upstream, client, reset)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const set = (next: Fault): void => {
    fault = next
    changed.resolve()
    changed = Promise.withResolvers()
    if (fault.kind === 'reset') for (const reset of resets) reset()
  }
  cleanup(t).defer(() => {
    server.close()
    set({ kind: 'reset' })
  })
  return {
    port: (server.address() as AddressInfo).port,
    set,
    redirect(to) {
      target = to
    },
  }
}
