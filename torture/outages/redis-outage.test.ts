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

/**
 * Opens limiters as in several processes, and their Redis.
 *
 * @param clock used instead of the clock of the machine
 */
async function openLimiters(t: TestContext, count: number, clock?: { now: number }) {
  const redis = await startRedis(t, '--requirepass', 'secret')
  const steady = clock ? () => clock.now : () => performance.now()
  const away = new Set<number>()
  const causes: string[] = []
  const open = (place: number): Promise<Limiter> =>
    openRedisLimiter({
      server: `redis://:secret@127.0.0.1:${redis.port}`,
      clock: steady,
      ban: BAN,
      onChange(lost) {
        if (lost) causes.push(String(lost.stack))
        if (lost) away.add(place)
        else away.delete(place)
      },
      ...(clock && { storeClock: steady }),
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

/** Most requests allowed in any 60 seconds. */
function maxPerMinute(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return Math.max(...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 60_000).length))
}

limiting('minutes that begin without Redis: served in part for a quarter of an hour', async (t) => {
  const clock = { now: 1_800_000_000_000 }
  const { redis, limiters, away, waitUntilBack } = await openLimiters(t, 2, clock)
  const caller = key({ perMinute: 60, perDay: DAYLONG })
  await sendHeartbeats(clock)
  for (const limiter of limiters) await limiter.take(caller)
  await redis.kill()
  await until(() => away.size === 2)

  const times: number[] = []
  // Bursts at the end of one minute and at the start of the next.
  for (let step = 0; step < 350; step += 1) {
    clock.now += 2_500
    const [cycle, place] = [Math.floor(step / 24), step % 24]
    const count = place === 0 ? 1 : place === (cycle % 2 ? 1 : 22) ? 30 : 0
    for (const limiter of limiters) {
      for (let sent = 0; sent < count; sent += 1) {
        if ((await limiter.take(caller)).outcome === 'allowed') times.push(clock.now)
      }
    }
  }
  assert.ok(times.length > 200, `${times.length} served in 15 minutes`)
  assert.ok(maxPerMinute(times) <= 60, `${maxPerMinute(times)}`)

  clock.now += 20_000
  for (const limiter of limiters) assert.notEqual((await limiter.take(caller)).storeError, undefined)
  clock.now += 120_000
  await redis.start()
  await waitUntilBack()
  assert.equal(allowed(await takeUntilRefused(limiters, caller)), 60)
})

/** Lets the limiters signal that they are alive while their clock advances. */
async function sendHeartbeats(clock: { now: number }): Promise<void> {
  const from = performance.now()
  const start = clock.now
  await until(() => {
    clock.now = start + Math.floor(performance.now() - from)
    return clock.now - start > 1_600
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

limiting('a stop returns all promises, and is quick without Redis too', async (t) => {
  const { redis, first, second } = await openLimiters(t, 2)
  const caller = key({ perMinute: 300, perDay: DAYLONG })
  const taken = [await takeTimed(first, caller)]
  await first.close()
  assert.equal(allowed([...taken, ...(await takeUntilRefused([second], caller))]), 300)

  redis.pause()
  const from = performance.now()
  await second.close()
  assert.ok(performance.now() - from < 1_000)
  redis.resume()
})
