import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { NEEDS_REDIS, startRedis } from '../../src/testing/redis.ts'
import { type Fault, startFaultProxy } from '../lab/fault-proxy.ts'
import { startLoad } from '../lab/load.ts'
import { makePlace, type Place, startRedisIn, type Way } from '../lab/network.ts'
import { startOwnPostgres } from '../lab/own-postgres.ts'
import type { Random } from '../lab/random.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'

const ROUNDS = rounds(40)
/** Of one fault, in milliseconds; one in twenty lasts half a minute. */
const FAULT_MS = [300, 3_000] as const
const LONG_MS = 30_000
/** A few may all be of a kind that clients hardly notice. */
const FEW = 10
const WAYS: Way[] = ['there', 'back', 'both', 'unplugged']

const AS_ROOT = process.getuid?.() === 0 ? needs('ip', 'nsenter', 'redis-server') : { skip: 'only root can' }

test(
  'cut off from PostgreSQL, Redis or both without a word, every answer comes in time, and then all is well',
  AS_ROOT,
  async (t: TestContext) => {
    const random = randomOf()
    const places: [Place, Place] = [makePlace(t), makePlace(t)]
    const [{ url }, redis] = await Promise.all([startOwnPostgres(t, places[0]), startRedisIn(t, places[1])])
    const load = await startLoad(t, { settings: { DATABASE_URL: url, REDIS_URL: redis }, directUrl: url })
    for (let round = 0; round < ROUNDS; round += 1) {
      const cut = random.pick([places, places.slice(0, 1), places.slice(1)])
      const ways = cut.map((place) => [place, random.pick(WAYS)] as const)
      for (const [place, way] of ways) place.cut(way)
      await pause(lengthOf(round, random))
      for (const [place] of ways) place.mend()
      await load.back(`round ${round}: ${ways.map(([{ host }, way]) => `${host} ${way}`)}`)
    }
    assert.ok(ROUNDS < FEW || load.refusals() > 0, 'no cut was felt')
    reached(t, `${ROUNDS} cuts: ${await load.end()}`)
  },
)

test('over lines that are slow, lossy, silent, reset or torn, every answer comes in time and is right', {
  skip: NEEDS_REDIS.skip,
}, async (t: TestContext) => {
  const random = randomOf(1)
  const direct = new URL(await scratchDatabase(t))
  const redis = await startRedis(t)
  const lines = [
    await startFaultProxy(t, Number(direct.port || 5432), random),
    await startFaultProxy(t, redis.port, random),
  ] as const
  const behind = Object.assign(new URL(direct), { host: `127.0.0.1:${lines[0].port}` })
  const stores = { DATABASE_URL: behind.href, REDIS_URL: `redis://127.0.0.1:${lines[1].port}` }
  const load = await startLoad(t, { settings: stores, directUrl: direct.href })
  for (let round = 0; round < ROUNDS; round += 1) {
    const faults = lines.map((line) => [line, faultOf(random)] as const)
    for (const [line, fault] of faults) line.set(fault)
    await pause(random.whole(...FAULT_MS))
    for (const line of lines) line.set({ kind: 'none' })
    await load.back(`round ${round}: ${JSON.stringify(faults.map(([, fault]) => fault))}`)
  }
  assert.ok(ROUNDS < FEW || load.refusals() > 0, 'no fault was felt')
  reached(t, `${ROUNDS} faults: ${await load.end()}`)
})

function lengthOf(round: number, random: Random): number {
  return round % 20 === 19 ? LONG_MS : random.whole(...FAULT_MS)
}

function faultOf(random: Random): Fault {
  return random.pick<Fault>([
    { kind: 'none' },
    { kind: 'delay', ms: random.whole(10, 250) },
    { kind: 'loss', ms: random.whole(50, 400) },
    { kind: 'stall' },
    { kind: 'reset' },
    { kind: 'cut', afterBytes: random.whole(1, 4_000) },
    { kind: 'bytes' },
  ])
}
