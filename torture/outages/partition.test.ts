import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { NEEDS_REDIS, startRedis } from '../../src/testing/redis.ts'
import { startLoad } from '../lab/load.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'

/** Treatment of the bytes of every connection, in both directions. */
type Fault =
  | { kind: 'none' }
  /** Delays each chunk. */
  | { kind: 'delay'; ms: number }
  /** Delays one chunk in ten and all chunks after it, as a lost and repeated packet does. */
  | { kind: 'loss'; ms: number }
  /** Accepts connections but delivers nothing. */
  | { kind: 'stall' }
  /** Resets all connections, including new connections. */
  | { kind: 'reset' }
  /** Resets each connection after this many bytes in one direction. */
  | { kind: 'cut'; afterBytes: number }
  /** Delivers each byte separately. */
  | { kind: 'bytes' }

interface FaultProxy {
  port: number
  /** Applies to existing and new connections. */
  set(fault: Fault): void
}

/** Starts a proxy to a server on this machine that can have each `Fault`. */
async function startFaultProxy(t: TestContext, port: number, random: Random): Promise<FaultProxy> {
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
    const upstream = connect(port, '127.0.0.1')
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
  return { port: (server.address() as AddressInfo).port, set }
}

const ROUNDS = rounds(40)
/** Duration of a fault in milliseconds; one in twenty lasts half a minute. */
const FAULT_MS = [300, 3_000] as const
const LONG_FAULT_MS = 30_000
/** In fewer rounds, all faults may be of kinds that clients hardly notice. */
const MIN_ROUNDS_WITH_EFFECT = 10

test('connections that are slow, lossy, silent, reset or cut: every answer comes in time and is correct', {
  skip: NEEDS_REDIS.skip,
}, async (t: TestContext) => {
  const random = randomOf()
  const direct = new URL(await scratchDatabase(t))
  const redis = await startRedis(t)
  const lines = [
    await startFaultProxy(t, Number(direct.port || 5432), random),
    await startFaultProxy(t, redis.port, random),
  ] as const
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${lines[0].port}` })
  const stores = { DATABASE_URL: proxied.href, REDIS_URL: `redis://127.0.0.1:${lines[1].port}` }
  const load = await startLoad(t, { settings: stores, directUrl: direct.href })
  for (let round = 0; round < ROUNDS; round += 1) {
    const faults = lines.map((line) => [line, randomFault(random)] as const)
    for (const [line, fault] of faults) line.set(fault)
    await pause(round % 20 === 19 ? LONG_FAULT_MS : random.integer(...FAULT_MS))
    for (const line of lines) line.set({ kind: 'none' })
    await load.assertRecovers(`round ${round}: ${JSON.stringify(faults.map(([, fault]) => fault))}`)
  }
  assert.ok(ROUNDS < MIN_ROUNDS_WITH_EFFECT || load.refusals() > 0, 'no fault had an effect')
  reportFigure(t, `${ROUNDS} faults: ${await load.end()}`)
})

function randomFault(random: Random): Fault {
  return random.pick<Fault>([
    { kind: 'none' },
    { kind: 'delay', ms: random.integer(10, 250) },
    { kind: 'loss', ms: random.integer(50, 400) },
    { kind: 'stall' },
    { kind: 'reset' },
    { kind: 'cut', afterBytes: random.integer(1, 4_000) },
    { kind: 'bytes' },
  ])
}
