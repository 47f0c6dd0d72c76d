import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { NEEDS_REDIS, startRedis } from '../../src/testing/redis.ts'
import { type Fault, startFaultProxy } from '../lab/fault-proxy.ts'
import { startLoad } from '../lab/load.ts'
import { type CutKind, createNamespace, type NetworkNamespace, startRedisIn } from '../lab/network.ts'
import { startOwnPostgres } from '../lab/own-postgres.ts'
import type { Random } from '../lab/random.ts'
import { needs, randomOf, reportFigure, rounds } from '../lab/rounds.ts'

const ROUNDS = rounds(40)
/** Duration of a fault in milliseconds; one in twenty lasts half a minute. */
const FAULT_MS = [300, 3_000] as const
const LONG_FAULT_MS = 30_000
/** In fewer rounds, all faults may be of kinds that clients hardly notice. */
const MIN_ROUNDS_WITH_EFFECT = 10
const CUT_KINDS: CutKind[] = ['there', 'back', 'both', 'unplugged']

const AS_ROOT = process.getuid?.() === 0 ? needs('ip', 'nsenter', 'redis-server') : { skip: 'needs root' }

test(
  'silently cut off from PostgreSQL, Redis or both: every answer comes in time, and the service recovers',
  AS_ROOT,
  async (t: TestContext) => {
    const random = randomOf()
    const namespaces: [NetworkNamespace, NetworkNamespace] = [createNamespace(t), createNamespace(t)]
    const [{ url }, redis] = await Promise.all([
      startOwnPostgres(t, namespaces[0]),
      startRedisIn(t, namespaces[1]),
    ])
    const load = await startLoad(t, { settings: { DATABASE_URL: url, REDIS_URL: redis }, directUrl: url })
    for (let round = 0; round < ROUNDS; round += 1) {
      const affected = random.pick([namespaces, namespaces.slice(0, 1), namespaces.slice(1)])
      const cuts = affected.map((namespace) => [namespace, random.pick(CUT_KINDS)] as const)
      for (const [namespace, kind] of cuts) namespace.cut(kind)
      await pause(faultDuration(round, random))
      for (const [namespace] of cuts) namespace.restore()
      await load.assertRecovers(`round ${round}: ${cuts.map(([{ host }, kind]) => `${host} ${kind}`)}`)
    }
    assert.ok(ROUNDS < MIN_ROUNDS_WITH_EFFECT || load.refusals() > 0, 'no cut had an effect')
    reportFigure(t, `${ROUNDS} cuts: ${await load.end()}`)
  },
)

test('connections that are slow, lossy, silent, reset or cut: every answer comes in time and is correct', {
  skip: NEEDS_REDIS.skip,
}, async (t: TestContext) => {
  const random = randomOf(1)
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
    await pause(random.integer(...FAULT_MS))
    for (const line of lines) line.set({ kind: 'none' })
    await load.assertRecovers(`round ${round}: ${JSON.stringify(faults.map(([, fault]) => fault))}`)
  }
  assert.ok(ROUNDS < MIN_ROUNDS_WITH_EFFECT || load.refusals() > 0, 'no fault had an effect')
  reportFigure(t, `${ROUNDS} faults: ${await load.end()}`)
})

function faultDuration(round: number, random: Random): number {
  return round % 20 === 19 ? LONG_FAULT_MS : random.integer(...FAULT_MS)
}

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
