import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type BanRule, readConfig } from '../../src/config.ts'
import type { Account, Limiter } from '../../src/limits/limiter.ts'
import { openRedisLimiter } from '../../src/limits/redis/limiter.ts'
import type { Limits } from '../../src/plans.ts'
import {
  NEEDS_REDIS,
  sendContinuously,
  startRedis,
  type TimedRuling,
  takeTimed,
  until,
} from '../../src/testing/redis.ts'
import { times } from '../lab/parallel.ts'

/** A rule that bans no client in these tests. */
const BAN: BanRule = { ...readConfig({}).ban, afterRefusals: 10_000 }
const DAYLONG = 1e6

let callers = 0
const key = (limits: Limits): Account => ({ name: `key:${++callers}`, limits, ban: BAN })

/** Opens limiters as in several processes, and their Redis. */
async function openLimiters(t: TestContext, count: number) {
  const redis = await startRedis(t, '--requirepass', 'secret')
  const away = new Set<number>()
  const causes: string[] = []
  const open = (place: number): Promise<Limiter> =>
    openRedisLimiter({
      server: `redis://:secret@127.0.0.1:${redis.port}`,
      clock: () => performance.now(),
      ban: BAN,
      onChange(lost) {
        if (lost) causes.push(String(lost.stack))
        if (lost) away.add(place)
        else away.delete(place)
      },
    })
  const limiters = await Promise.all(times(count, open))
  t.after(() => Promise.all(limiters.map((limiter) => limiter.close())))
  const [first, second] = limiters as [Limiter, Limiter]
  const waitUntilBack = () => until(() => away.size === 0)
  return { redis, limiters, first, second, away, causes, waitUntilBack }
}

const limiting = (title: string, run: (t: TestContext) => Promise<void>) => test(title, NEEDS_REDIS, run)

/** Takes `count` requests one after another. */
async function take(limiter: Limiter, caller: Account, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 1) await limiter.take(caller)
}

const allowed = (taken: { outcome: string; lost?: unknown }[]): number =>
  taken.filter(({ outcome }) => outcome === 'allowed').length

function assertQuick(taken: TimedRuling[]): void {
  const slowest = Math.max(...taken.map(({ took }) => took))
  assert.ok(slowest < 250, `an answer took ${slowest.toFixed()} ms`)
}

/** Takes requests from each limiter until it refuses. */
async function takeUntilRefused(limiters: Limiter[], caller: Account): Promise<TimedRuling[]> {
  const taken: TimedRuling[] = []
  for (const limiter of limiters) {
    let last: TimedRuling
    do {
      const round = await Promise.all(Array.from({ length: 40 }, () => takeTimed(limiter, caller)))
      taken.push(...round)
      last = round.at(-1) as TimedRuling
      // A limiter without Redis answers immediately, but its recovery needs a turn of the event loop.
      await new Promise(setImmediate)
    } while (last.outcome === 'allowed' || last.storeError !== undefined)
  }
  return taken
}

type Redis = Awaited<ReturnType<typeof startRedis>>
const OUTAGES: Record<string, (redis: Redis, load: { taken: TimedRuling[] }) => Promise<void>> = {
  async 'is killed and starts empty'(redis, load) {
    await redis.kill()
    await waitForMore(load, 150)
    await redis.start()
  },
  async 'is killed and starts with older counters'(redis, load) {
    await redis.client.save()
    await waitForMore(load, 100)
    await redis.kill()
    await waitForMore(load, 150)
    await redis.start()
  },
  async 'is silent for a while'(redis, load) {
    redis.pause()
    await waitForMore(load, 150)
    redis.resume()
  },
  async 'has no memory left'(redis, load) {
    await redis.client.config('SET', 'maxmemory', '1')
    await waitForMore(load, 150)
    await redis.client.config('SET', 'maxmemory', '0')
  },
  async 'is a replica for a while'(redis, load) {
    await redis.client.replicaof('127.0.0.1', '1')
    await waitForMore(load, 150)
    await redis.client.replicaof('NO', 'ONE')
  },
  async 'wants another password for a while'(redis, load) {
    await redis.client.config('SET', 'requirepass', 'other')
    await redis.dropConnections()
    await waitForMore(load, 150)
    await redis.client.config('SET', 'requirepass', 'secret')
  },
  async 'is emptied by hand'(redis, load) {
    await redis.client.flushall()
    await waitForMore(load, 150)
  },
}

function waitForMore({ taken }: { taken: TimedRuling[] }, count: number): Promise<void> {
  const before = taken.length
  return until(() => taken.length >= before + count)
}

for (const [name, outage] of Object.entries(OUTAGES)) {
  limiting(`Redis ${name}: every answer within 250 ms, and exactly the limit is allowed`, async (t) => {
    const { redis, limiters, causes, waitUntilBack } = await openLimiters(t, 3)
    const caller = key({ perMinute: 3_000, perDay: DAYLONG })
    const load = sendContinuously(limiters, caller)
    await waitForMore(load, 200)
    await outage(redis, load)
    await until(() => causes.length > 0)
    await waitUntilBack()
    await waitForMore(load, 50)
    const taken = await load.stop()
    const rest = await takeUntilRefused(limiters, caller)

    assertQuick(taken)
    assert.equal(allowed([...taken, ...rest]), 3_000)
    assert.ok(causes.length > 0)
    for (const cause of causes) assert.doesNotMatch(cause, /secret/)
  })
}

limiting('a ban stays after Redis lost its memory', async (t) => {
  const { redis, first, second, away, waitUntilBack } = await openLimiters(t, 2)
  const caller = { ...key({ perMinute: 5, perDay: DAYLONG }), ban: { ...BAN, afterRefusals: 3 } }
  await take(first, caller, 9)
  await redis.kill()
  await until(() => away.size === 2)
  assert.equal((await first.take(caller)).outcome, 'banned')
  await redis.start()
  await waitUntilBack()

  assert.equal((await second.take(caller)).outcome, 'banned')
})

limiting('an empty Redis gets the counts of processes that have stopped', async (t) => {
  const { redis, first, second, away, waitUntilBack } = await openLimiters(t, 2)
  const caller = key({ perMinute: 100, perDay: DAYLONG })
  await take(first, caller, 50)
  await second.take(caller)
  await first.close()
  const left = performance.now()
  await until(() => performance.now() > left + 500)
  await redis.kill()
  await until(() => away.size > 0)
  await redis.start()
  await waitUntilBack()

  assert.equal(allowed(await takeUntilRefused([second], caller)), 49)
})

limiting(
  'counters of a caller removed from Redis: restored, with the counts of other processes',
  async (t) => {
    const { redis, first, second } = await openLimiters(t, 2)
    const caller = key({ perMinute: 100, perDay: DAYLONG })
    await take(first, caller, 40)
    await second.take(caller)
    await redis.client.del(`adoptable:{${caller.name}}`)

    assert.equal(allowed(await takeUntilRefused([second], caller)), 59)
  },
)

limiting('a stop without Redis is quick', async (t) => {
  const { redis, first } = await openLimiters(t, 2)
  await first.take(key({ perMinute: 300, perDay: DAYLONG }))
  redis.pause()
  const from = performance.now()
  await first.close()
  assert.ok(performance.now() - from < 1_000)
  redis.resume()
})
