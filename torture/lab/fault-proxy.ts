import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import type { Random } from './random.ts'

/** What becomes of the bytes of every connection, in both directions. */
export type Fault =
  | { kind: 'none' }
  /** Each piece comes so many milliseconds late. */
  | { kind: 'delay'; ms: number }
  /** One piece in ten waits so long, as one does that was lost and is sent again; all behind it wait too. */
  | { kind: 'loss'; ms: number }
  /** Nothing comes any more; connections are taken. */
  | { kind: 'stall' }
  /** Connections are reset, and so is every new one. */
  | { kind: 'reset' }
  /** Each connection is reset when so many bytes have passed. */
  | { kind: 'cut'; afterBytes: number }
  /** Every byte comes alone. */
  | { kind: 'bytes' }

export interface FaultProxy {
  port: number
  /** Holds for the connections there are and for those to come. */
  set(fault: Fault): void
  /** Where connections lead from now on. */
  lead(to: number): void
}

/** A line to a server on this machine that has every fault a line can have. */
export async function startFaultProxy(t: TestContext, port: number, random: Random): Promise<FaultProxy> {
  let target = port
  let fault: Fault = { kind: 'none' }
  let changed = Promise.withResolvers<void>()
  const lines = new Set<() => void>()

  /** One direction. What is held comes later, as with TCP; nothing is left out. */
  function pass(from: Socket, into: Socket, reset: () => void): void {
    let passed = 0
    let before = Promise.resolve()
    async function carry(bytes: Buffer, cameAt: number): Promise<void> {
      while (fault.kind === 'stall') await changed.promise
      if (fault.kind === 'delay') await pause(Math.max(0, cameAt + fault.ms - performance.now()))
      if (fault.kind === 'loss' && random.often(0.1)) await pause(fault.ms)
      passed += bytes.length
      if (fault.kind === 'cut' && passed > fault.afterBytes) return reset()
      if (fault.kind !== 'bytes') return void into.write(bytes)
      for (const byte of bytes) {
        into.write(Buffer.of(byte))
        await nextTurn()
      }
    }
    from.setNoDelay()
    from.on('error', () => undefined)
    from.on('data', (bytes) => {
      const cameAt = performance.now()
      before = before.then(() => carry(bytes, cameAt))
    })
    from.on('close', () => before.then(() => into.end()))
  }

  const server = createServer((client) => {
    if (fault.kind === 'reset') return void client.resetAndDestroy()
    const upstream = connect(target, '127.0.0.1')
    const reset = (): void => {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
    lines.add(reset)
    client.on('close', () => lines.delete(reset))
    pass(client, upstream, reset)
    pass(upstream, client, reset)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const set = (next: Fault): void => {
    fault = next
    changed.resolve()
    changed = Promise.withResolvers()
    if (fault.kind === 'reset') for (const reset of lines) reset()
  }
  cleanup(t).defer(() => {
    server.close()
    set({ kind: 'reset' })
  })
  return {
    port: (server.address() as AddressInfo).port,
    set,
    lead(to) {
      target = to
    },
  }
}
