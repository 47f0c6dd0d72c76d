import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { changes } from '../../changes.ts'
import { type BanRule, readConfig } from '../../config.ts'
import { openToWrite } from '../../db/open-sqlite.ts'
import { transactionWriter, type Write } from '../../db/write.ts'
import type { Limits } from '../../plans.ts'
import { cleanup } from '../../testing/cleanup.ts'
import { startProxy } from '../../testing/proxy.ts'
import { NEEDS_REDIS, sendContinuously, startRedis, type TestRedis, until } from '../../testing/redis.ts'
import { scratchFolder } from '../../testing/start-app.ts'
import type { Account, Limiter, LimiterVerdict } from '../limiter.ts'
import { openMemoryLimiter } from '../memory.ts'
import { evaluate, INITIAL_STATE, type State } from '../window.ts'
import { openRedisLimiter } from './limiter.ts'

const { ban } = readConfig({})
const FREE = { perMinute: 60, perDay: 1_000 }
const NOW = 1_800_000_000_250
/** A ban rule that no test reaches by accident. */
const PATIENT: BanRule = { ...ban, afterRefusals: 10_000 }

/** All tests use this Redis. Each test has its own callers. */
let redis: TestRedis
const ends: (() => Promise<void>)[] = []
if (!NEEDS_REDIS.skip) {
  before(async () => {
    redis = await startRedis({ after: (end) => ends.push(end) })
  })
  after(async () => {
    for (const end of ends) await end()
  })
}

let callers = 0
const key = (limits: Limits, rule = PATIENT): Account => ({ name: `key:${++callers}`, limits, ban: rule })
const address = (limits: Limits): Account => ({ name: `ip:stranger ${++callers}`, limits })

/** Opens limiters, each of which acts like a separate process. A given clock is also the store's clock. */
async function openLimiters(
  t: TestContext,
  count: number,
  clock?: { now: number },
  { port }: { port: number } = redis,
) {
  const steady = clock ? () => clock.now : () => performance.now()
  const limiters = await Promise.all(
    Array.from({ length: count }, () =>
      openRedisLimiter({
        server: `redis://127.0.0.1:${port}`,
        clock: steady,
        ban,
        ...(clock && { storeClock: steady }),
      }),
    ),
  )
  cleanup(t).defer(async () => void (await Promise.all(limiters.map((limiter) => limiter.close()))))
  return limiters as [Limiter, ...Limiter[]]
}

async function takeMany(limiter: Limiter, caller: Account, count: number): Promise<LimiterVerdict[]> {
  return Promise.all(Array.from({ length: count }, () => limiter.take(caller)))
}

const allowed = (verdicts: LimiterVerdict[]): number =>
  verdicts.filter(({ outcome }) => outcome === 'allowed').length

test('many concurrent requests to four processes: exactly the limit is allowed', NEEDS_REDIS, async (t) => {
  const limiters = await openLimiters(t, 4)
  const caller = key({ perMinute: 1_000, perDay: 1e5 })

  const rounds = limiters.map(async (limiter) => {
    const verdicts: LimiterVerdict[] = []
    let round: LimiterVerdict[]
    do {
      round = await takeMany(limiter, caller, 64)
      verdicts.push(...round)
    } while (round.some(({ outcome, storeError }) => outcome === 'allowed' || storeError !== undefined))
    return verdicts
  })
  const verdicts = (await Promise.all(rounds)).flat()

  assert.equal(allowed(verdicts), 1_000)
  // On a very busy machine Redis may have seemed lost. The headers are then those of an offline lease.
  if (verdicts.some(({ storeError }) => storeError !== undefined)) return
  const left = verdicts.filter(({ outcome }) => outcome === 'allowed').map(({ remaining }) => remaining)
  assert.deepEqual(
    left.sort((a, b) => a - b),
    Array.from({ length: 1_000 }, (_, index) => index),
  )
  assert.equal(new Set(verdicts.map(({ resetAtSeconds }) => resetAtSeconds)).size, 1)
})

for (const [window, limits] of [
  ['minute', { perMinute: 500, perDay: 1e5 }],
  ['day', { perMinute: 1e5, perDay: 500 }],
] as const) {
  test(`one process gets the full ${window} when the others need nothing`, NEEDS_REDIS, async (t) => {
    const limiters = await openLimiters(t, 4)
    const caller = key(limits)
    for (const limiter of limiters) await takeMany(limiter, caller, 10)
    const leased = Number(
      await redis.client.hget(`adoptable:{${caller.name}}`, window === 'day' ? 'dx' : 'mx'),
    )
    assert.ok(leased > 100, `${leased} leased`)

    const verdicts = [
      ...(await takeMany(limiters[0], caller, 400)),
      ...(await takeMany(limiters[0], caller, 400)),
    ]

    assert.equal(allowed(verdicts), 460)
  })
}

const anyRule = fc.record({
  limits: fc.record({ perMinute: fc.integer({ min: 1, max: 6 }), perDay: fc.integer({ min: 1, max: 40 }) }),
  rule: fc.record({
    afterRefusals: fc.integer({ min: 1, max: 5 }),
    windowSeconds: fc.constantFrom(1, 60),
    seconds: fc.constantFrom(30, 900),
    longestSeconds: fc.constantFrom(900, 3_600),
    memorySeconds: fc.constantFrom(0, 600, 86_400),
  }),
  banned: fc.boolean(),
  steps: fc.array(
    fc.record({
      process: fc.nat(2),
      together: fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 8 })),
      pause: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(0, 1, 7) },
        { weight: 4, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
        {
          weight: 2,
          arbitrary: fc.constantFrom(999, 1_000, 59_999, 60_000, 60_001, 900_000, 86_399_999, 86_400_000),
        },
      ),
    }),
    { minLength: 50, maxLength: 150 },
  ),
})

test('three processes: the verdicts and headers equal those of the rule', NEEDS_REDIS, async (t) => {
  const clock = { now: NOW }
  const limiters = await openLimiters(t, 3, clock)
  const seen = { allowed: 0, limited: 0, banned: 0 }
  const property = fc.asyncProperty(anyRule, async ({ limits, rule, banned, steps }) => {
    const caller = banned ? key(limits, rule) : address(limits)
    let state: State = INITIAL_STATE
    for (const { process, together, pause } of steps) {
      clock.now += pause
      const verdicts = Array.from({ length: together }, () => {
        const evaluated = evaluate(state, limits, caller.ban, clock.now)
        state = evaluated.state
        seen[evaluated.verdict.outcome] += 1
        return evaluated.verdict
      })
      assert.deepEqual(await takeMany(limiters[process] ?? limiters[0], caller, together), verdicts)
    }
  })
  await fc.assert(property, { numRuns: 60 })
  assert.ok(Math.min(seen.allowed, seen.limited, seen.banned) > 500, JSON.stringify(seen))
})

/**
 * Opens two limiters: one that counts in its own store, and one that counts in Redis. `cut` makes the next
 * write to each fail.
 */
async function openBoth(t: TestContext, clock: { now: number }) {
  const { db } = await openToWrite(join(scratchFolder(t), 'test.db'))
  cleanup(t).defer(() => db.destroy())
  const line = await startProxy(t, { host: '127.0.0.1', port: redis.port })
  const cut = { store: false, redis: false }
  const writer = transactionWriter(db, changes)
  const write: Write = async (name, ...args) => {
    if (!cut.store) return writer.write(name, ...args)
    cut.store = false
    throw new Error('nothing can be written')
  }
  const memory = await openMemoryLimiter({ db, write, clock: () => clock.now, ban })
  const [shared] = await openLimiters(t, 1, clock, line)
  line.onSend = (bytes) => {
    const breaks = cut.redis && bytes.includes('{key:')
    if (breaks) cut.redis = false
    return breaks
  }
  return { cut, memory, shared }
}

for (const limits of [FREE, { perMinute: 60, perDay: 50 }]) {
  test(
    `after a lost first answer Redis reports the same Reset as a single process: ${JSON.stringify(limits)}`,
    NEEDS_REDIS,
    async (t) => {
      const clock = { now: NOW }
      const { cut, memory, shared } = await openBoth(t, clock)
      const caller = key(limits)
      Object.assign(cut, { store: true, redis: true })
      for (const limiter of [memory, shared]) assert.ok((await limiter.take(caller)).storeError)
      assert.deepEqual(cut, { store: false, redis: false })

      const first: LimiterVerdict[] = []
      clock.now += 20_000
      await until(async () => {
        first.push(await shared.take(caller))
        return first.at(-1)?.storeError === undefined
      })
      const figures = ({ outcome, limit, resetAtSeconds }: LimiterVerdict) => [outcome, limit, resetAtSeconds]
      assert.equal(
        first.at(-1)?.remaining,
        Math.min(limits.perMinute, limits.perDay) - 1,
        'the lost request is refunded',
      )
      for (const verdict of [first.at(-1) as LimiterVerdict, await shared.take(caller)])
        assert.deepEqual(figures(verdict), figures(await memory.take(caller)))
    },
  )
}

test('concurrent requests of a caller are sent in batches of up to 100', NEEDS_REDIS, async (t) => {
  const [limiter] = await openLimiters(t, 1)
  const caller = key({ perMinute: 1_000, perDay: 1e5 })
  await limiter.take(caller)

  const before = await countOf('evalsha')
  const verdicts = await takeMany(limiter, caller, 250)
  const questions = (await countOf('evalsha')) - before
  // Ignores heartbeats.
  assert.ok(questions >= 3 && questions < 10, `${questions} questions`)
  assert.deepEqual(
    verdicts.map(({ remaining }) => remaining),
    Array.from({ length: 250 }, (_, index) => 998 - index),
  )
})

test('concurrent requests get the lease of a process that has left, in one batch', NEEDS_REDIS, async (t) => {
  const [leaver] = await openLimiters(t, 1)
  const [limiter] = await openLimiters(t, 1)
  const caller = key({ perMinute: 60, perDay: 1e5 })
  await leaver.take(caller)
  const leased = Number(await redis.client.hget(`adoptable:{${caller.name}}`, 'mx'))
  await leaver.close()

  const before = await countOf('evalsha')
  const verdicts = await takeMany(limiter, caller, 90)
  const questions = (await countOf('evalsha')) - before
  assert.equal(allowed(verdicts), 59)
  assert.ok(leased > 10 && questions < 10, `${questions} questions, with ${leased} leased`)
})

test(
  'a caller whose limits just changed: each request is decided by its own limits',
  NEEDS_REDIS,
  async (t) => {
    const clock = { now: NOW }
    const [limiter] = await openLimiters(t, 1, clock)
    const caller = key({ perMinute: 10, perDay: 100 })
    const raised = { ...caller, limits: { perMinute: 50, perDay: 500 } }

    const verdicts = await Promise.all([caller, raised, caller, raised].map((one) => limiter.take(one)))
    assert.deepEqual(
      verdicts.map(({ limit, remaining }) => [limit, remaining]),
      [
        [10, 9],
        [50, 48],
        [10, 7],
        [50, 46],
      ],
    )
  },
)

test(
  'the store’s clock jumps back: no caller is refused for longer than a window',
  NEEDS_REDIS,
  async (t) => {
    const clock = { now: NOW }
    const [limiter] = await openLimiters(t, 1, clock)
    const caller = key(FREE)
    assert.equal(allowed(await takeMany(limiter, caller, 61)), 60)
    clock.now -= 400 * 86_400_000

    const refused = await limiter.take(caller)
    assert.deepEqual([refused.outcome, refused.retryAfterSeconds], ['limited', 60])
    clock.now += 60_000
    assert.equal((await limiter.take(caller)).outcome, 'allowed')
  },
)

test(
  'the 101st refusal bans in every process, longer each time, without asking Redis during the ban',
  NEEDS_REDIS,
  async (t) => {
    const clock = { now: NOW }
    const [first, second = first] = await openLimiters(t, 2, clock)
    const caller = key({ perMinute: 60, perDay: 1e6 }, ban)
    for (const seconds of [900, 1_800, 3_600]) {
      assert.equal(allowed(await takeMany(first, caller, 110)), 60)
      const verdicts = await takeMany(second, caller, 51)
      assert.deepEqual(verdicts.map(({ outcome }) => outcome).slice(-2), ['limited', 'banned'])
      assert.equal(verdicts.at(-1)?.retryAfterSeconds, seconds)
      assert.equal((await first.take(caller)).outcome, 'banned')

      const before = await countOf('evalsha')
      const banned = [...(await takeMany(first, caller, 500)), ...(await takeMany(second, caller, 500))]
      assert.ok(
        banned.every(
          ({ outcome, retryAfterSeconds }) => outcome === 'banned' && retryAfterSeconds === seconds,
        ),
      )
      assert.ok((await countOf('evalsha')) - before < 50)
      clock.now += seconds * 1_000
    }
  },
)

test(
  'an address at its limit is refused without asking Redis until its window ends',
  NEEDS_REDIS,
  async (t) => {
    const clock = { now: NOW }
    const [limiter] = await openLimiters(t, 1, clock)
    const caller = address({ perMinute: 5, perDay: 8 })
    await takeMany(limiter, caller, 6)

    const before = await countOf('evalsha')
    assert.equal(allowed(await takeMany(limiter, caller, 1_000)), 0)
    assert.ok((await countOf('evalsha')) - before < 50)
    clock.now += 60_000
    assert.equal(allowed(await takeMany(limiter, caller, 10)), 3)
  },
)

test(
  'random addresses beyond 50,000 share a counter, and every key in Redis expires',
  NEEDS_REDIS,
  async (t) => {
    const own = await startRedis(t)
    const [limiter] = await openLimiters(t, 1, undefined, own)
    const limits = { perMinute: 2, perDay: 2 }
    // Stops Redis, because the requests below are fast without it.
    await own.kill()
    await until(async () => (await limiter.take(address(limits))).storeError !== undefined)
    for (let index = 0; index < 50_000; index += 1) await limiter.take({ name: `ip:${index}`, limits })
    await own.start()
    await until(async () => (await limiter.take(key(FREE))).outcome === 'allowed')

    assert.equal(allowed(await takeMany(limiter, address(limits), 1)), 1)
    assert.equal(allowed(await takeMany(limiter, address(limits), 1)), 1)
    assert.equal(allowed(await takeMany(limiter, address(limits), 1)), 0)
    await takeMany(limiter, key(FREE, ban), 70)
    const [, figures = ''] = /db0:(.*)/.exec(await own.client.info('keyspace')) ?? []
    const [, keys, expires] = /keys=(\d+),expires=(\d+)/.exec(figures) ?? []
    assert.equal(keys, expires)
    assert.equal(await own.client.exists('adoptable:{ip:others}'), 1)
  },
)

test('a script missing from Redis’ cache is sent again', NEEDS_REDIS, async (t) => {
  const [limiter] = await openLimiters(t, 1)
  const caller = key(FREE)
  assert.equal(allowed(await takeMany(limiter, caller, 20)), 20)
  await redis.client.script('FLUSH')

  assert.equal(allowed(await takeMany(limiter, caller, 60)), 40)
})

/** Sends requests until `limit` are allowed, and then some more. */
async function allowedInAll(limiter: Limiter, caller: Account, taken: LimiterVerdict[], limit: number) {
  const began = performance.now()
  while (allowed(taken) < limit) {
    assert.ok(performance.now() - began < 15_000, `only ${allowed(taken)} of ${limit} allowed`)
    // Offline verdicts come immediately. Without a pause nothing else would run.
    await new Promise(setImmediate)
    taken.push(...(await takeMany(limiter, caller, 5)))
  }
  return allowed([...taken, ...(await takeMany(limiter, caller, 5))])
}

/** Makes Redis pause repeatedly. @returns a function that stops it */
function keepSlow(momentMs: number): () => Promise<void> {
  let ended = false
  const slow = (async () => {
    while (!ended) await redis.client.call('CLIENT', 'PAUSE', String(momentMs), 'ALL')
  })()
  return () => {
    ended = true
    return slow
  }
}

test('a slow Redis that lost its data gives no verdict in time: requests get 503', NEEDS_REDIS, async (t) => {
  const [limiter] = await openLimiters(t, 1)
  const caller = key({ perMinute: 60, perDay: 90 })
  const taken = await takeMany(limiter, caller, 2)
  // Redis checks ten times as often as usual whether a pause is over.
  await redis.client.config('SET', 'hz', '100')
  const stop = keepSlow(35)
  // On a busy machine Redis may seem lost altogether.
  for (let cause = ''; !/no verdict in time/.test(cause); cause = String(taken.at(-1)?.storeError)) {
    await redis.client.del(`adoptable:{${caller.name}}`)
    taken.push(await limiter.take(caller))
  }
  await stop()

  assert.equal(await allowedInAll(limiter, caller, taken, 60), 60)
})

for (const [moment, isAtOnce] of [
  ['asks', true],
  ['has sent a recall', false],
] as const) {
  test(
    `a process too busy to recall leases when it ${moment}: leases count as used for now`,
    NEEDS_REDIS,
    async (t) => {
      const [holder, requester = holder] = await openLimiters(t, 2)
      const caller = key({ perMinute: 4, perDay: 1e5 })
      const taken = await takeMany(holder, caller, 1)
      await onRecalls(t, caller, () => {
        if (!isAtOnce) stallMs(150)
      })

      do {
        const pending = requester.take(caller)
        if (isAtOnce) stallMs(150)
        taken.push(await pending)
      } while (taken.at(-1)?.outcome === 'allowed')

      assert.equal(taken.at(-1)?.storeError, undefined)
      assert.ok(allowed(taken) < 4, `${allowed(taken)} allowed`)
      assert.equal(await allowedInAll(requester, caller, taken, 4), 4)
    },
  )
}

test(
  'a process too busy for its heartbeats decides about the requests that arrived during that time',
  NEEDS_REDIS,
  async (t) => {
    const [limiter] = await openLimiters(t, 1)
    const caller = key(FREE)
    const pending = takeMany(limiter, caller, 3)
    // Longer than Redis accepts an old list of the other processes.
    stallMs(1_200)
    const verdicts = await pending

    assert.deepEqual(
      verdicts.map(({ outcome, storeError }) => storeError ?? outcome),
      ['allowed', 'allowed', 'allowed'],
    )
  },
)

test('a request during a recall waits for the same recall', NEEDS_REDIS, async (t) => {
  const [holder, requester = holder] = await openLimiters(t, 2)
  const during: Promise<LimiterVerdict>[] = []
  // On a very busy machine, the holder's lease may have ended already, and the requester needs no recall.
  while (during.length === 0) {
    const caller = key({ perMinute: 4, perDay: 1e5 })
    const taken = await takeMany(holder, caller, 1)
    await onRecalls(t, caller, () => {
      if (during.length === 0) during.push(Promise.resolve(requester.take(caller)))
    })
    while (during.length === 0 && taken.at(-1)?.outcome === 'allowed')
      taken.push(await requester.take(caller))
    await new Promise(setImmediate)
    taken.push(...(await Promise.all(during)))
    assert.equal(await allowedInAll(requester, caller, taken, 4), 4)
  }
})

/** Calls `onRecall` each time a lease of this caller is recalled. */
async function onRecalls(t: TestContext, { name }: Account, onRecall: () => void): Promise<void> {
  const listener = redis.client.duplicate()
  t.after(() => listener.disconnect())
  await listener.subscribe('adoptable:recall')
  listener.on('message', (_, message: string) => {
    if (message.endsWith(` ${name}`)) onRecall()
  })
}

/** Blocks this process. */
function stallMs(length: number): void {
  const began = performance.now()
  while (performance.now() - began < length) {}
}

test('a lease released while the connection breaks is available to the others', NEEDS_REDIS, async (t) => {
  const proxy = await startProxy(t, { host: '127.0.0.1', port: redis.port })
  const [[giver], [requester]] = [await openLimiters(t, 1, undefined, proxy), await openLimiters(t, 1)]
  const caller = key({ perMinute: 100, perDay: 1e5 })
  const taken = await takeMany(giver, caller, 1)
  let breaks = 0
  proxy.onSend = (bytes) => bytes.includes('\r\nrelease\r\n') && breaks++ === 0

  assert.equal(await allowedInAll(requester, caller, taken, 100), 100)
  assert.equal(breaks, 1)
})

test('when the connection breaks during a recall, only that request fails', NEEDS_REDIS, async (t) => {
  const target = { host: '127.0.0.1', port: redis.port }
  const [held, line] = [await startProxy(t, target), await startProxy(t, target)]
  const [[holder], [requester]] = [
    await openLimiters(t, 1, undefined, held),
    await openLimiters(t, 1, undefined, line),
  ]
  let breaks = 0
  line.onSend = (bytes) => bytes.includes('zrange') && breaks++ === 0

  while (breaks === 0) {
    const caller = key({ perMinute: 4, perDay: 1e5 })
    held.mode = 'pass'
    const taken = await takeMany(holder, caller, 1)
    // The process that holds a lease does not receive the recall. On a very busy machine, its lease may have
    // ended already, and the requester needs no recall.
    held.mode = 'stall'
    while (breaks === 0 && taken.at(-1)?.outcome === 'allowed') taken.push(await requester.take(caller))
    held.mode = 'pass'
    assert.equal(await allowedInAll(requester, caller, taken, 4), 4)
  }
})

test('Redis keeps nothing of processes that served a caller only on past days', NEEDS_REDIS, async (t) => {
  const clock = { now: NOW }
  const caller = key({ perMinute: 60, perDay: 1e5 })
  const name = `adoptable:{${caller.name}}`
  const processes = async () =>
    (await redis.client.hkeys(name)).filter((field) => field.startsWith('p:')).sort()
  const [lasting] = await openLimiters(t, 1, clock)
  await takeMany(lasting, caller, 10)
  const [own] = await processes()
  for (const day of [1, 2, 3, 4]) {
    const before = await processes()
    const [young] = await openLimiters(t, 1, clock)
    assert.equal((await young.take(caller)).outcome, 'allowed')
    await young.close()
    const joined = (await processes()).filter((field) => !before.includes(field))
    clock.now += 86_400_000

    // A process that served the caller near the end of the day may still have messages on their way.
    assert.equal((await lasting.take(caller)).remaining, 59)
    assert.deepEqual(await processes(), [own, ...joined].sort(), `day ${day}`)
    assert.equal(await redis.client.hget(name, 'du'), '1')
  }
})

test('sweep forgets callers whose windows have ended, and no others', NEEDS_REDIS, async (t) => {
  const clock = { now: NOW }
  const [limiter] = await openLimiters(t, 1, clock)
  const old = address({ perMinute: 1, perDay: 1 })
  const young = address({ perMinute: 1, perDay: 1 })
  await takeMany(limiter, old, 2)
  clock.now += 80_000_000
  await takeMany(limiter, young, 2)
  clock.now += 6_400_000
  await limiter.sweep()

  // A caller that the process still remembers is decided without asking Redis.
  const before = await countOf('evalsha')
  assert.ok(!(limiter.take(young) instanceof Promise))
  assert.ok(limiter.take(old) instanceof Promise)
  assert.ok((await countOf('evalsha')) - before < 50)
})

async function countOf(command: string): Promise<number> {
  return Number(
    /calls=(\d+)/.exec((await redis.client.info('commandstats')).split(`cmdstat_${command}:`)[1] ?? '')?.[1],
  )
}

for (const outage of ['is killed and starts empty', 'is silent for a while']) {
  test(
    `Redis ${outage}: never more than the limit, and exactly the limit afterwards`,
    NEEDS_REDIS,
    async (t) => {
      const own = await startRedis(t)
      const limiters = await openLimiters(t, 2, undefined, own)
      const caller = key({ perMinute: 2_000, perDay: 1e6 })
      const load = sendContinuously(limiters, caller)
      const more = async (count: number) => {
        const enough = load.taken.length + count
        await until(() => load.taken.length >= enough)
      }
      await more(100)
      if (outage === 'is silent for a while') own.pause()
      else await own.kill()
      await more(150)
      if (outage === 'is silent for a while') own.resume()
      else await own.start()
      await until(() => load.taken.slice(-20).every(({ storeError }) => !storeError))
      const taken: LimiterVerdict[] = await load.stop()
      // Retries like a client: some requests still find the store recovering. Offline verdicts come immediately,
      // so without a pause nothing else would run.
      while (allowed(taken) < 2_000) {
        await new Promise(setImmediate)
        for (const limiter of limiters) taken.push(...(await takeMany(limiter, caller, 20)))
      }
      taken.push(...(await takeMany(limiters[0], caller, 50)))

      assert.equal(allowed(taken), 2_000)
    },
  )
}
