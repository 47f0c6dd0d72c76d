import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { identifyFile, openToWrite } from '../db/open-sqlite.ts'
import type { Write } from '../db/write.ts'
import { fileWriter } from '../db/writer.ts'
import type { Limits } from '../plans.ts'
import { sameThread } from '../testing/same-thread.ts'
import { scratchFolder } from '../testing/start-app.ts'
import type { Account, Limiter } from './limiter.ts'
import { openMemoryLimiter } from './memory.ts'
import * as counters from './store.ts'
import { evaluate, INITIAL_STATE, type State } from './window.ts'

const { ban } = readConfig({})

interface Gate {
  isFor(rows: number): boolean
  pass(): Promise<void>
  done(): void
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

/** A limiter with its own store. The test can close or kill it. */
async function openLimiter(t: TestContext, start = 1_800_000_000_000) {
  const file = join(scratchFolder(t), 'test.db')
  const { db } = await openToWrite(file)
  const writer = fileWriter(sameThread, identifyFile(file))
  t.after(async () => {
    await writer.close()
    await db.destroy()
  })
  const clock = { now: start, movedMs: 0 }
  const applyClockChange = () => {
    const { movedMs } = clock
    clock.movedMs = 0
    return movedMs
  }
  let gate: Gate | undefined
  /** Like PostgreSQL, commits later writes before the writes that are held. */
  const write: Write = async (name, ...args) => {
    const passing = gate?.isFor((args[0] as unknown[]).length) ? gate : undefined
    await passing?.pass()
    return writer.write(name, ...args).finally(passing?.done)
  }
  const open = () => openMemoryLimiter({ db, write, clock: () => clock.now, applyClockChange, ban })
  let limiter: Limiter = await open()
  return {
    db,
    clock,
    /** Sets the machine's clock; no time passes. */
    setClock(byMs: number) {
      clock.now += byMs
      clock.movedMs += byMs
    },
    /** Holds writes for which `isFor` is true. */
    hold(isFor: (rows: number) => boolean) {
      const met = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const written = Promise.withResolvers<void>()
      const pass = () => {
        met.resolve()
        return released.promise
      }
      gate = { isFor, pass, done: written.resolve }
      return { met: met.promise, release: released.resolve, written: written.promise }
    },
    take: (caller: Account) => limiter.take(caller),
    sweep: () => limiter.sweep(),
    async restart() {
      await limiter.close()
      limiter = await open()
    },
    async crash() {
      limiter = await open()
    },
  }
}

const key = (limits: Limits): Account => ({ name: 'key:1', limits, ban })
const address = (name: string, limits: Limits): Account => ({ name: `ip:${name}`, limits })
let callers = 0
/** A caller that only this run uses and that is never banned. */
const stranger = (limits: Limits): Account => address(`stranger ${++callers}`, limits)
const FREE = { perMinute: 60, perDay: 1_000 }

async function allowedOf(
  opened: { take: Limiter['take'] },
  caller: Account,
  requests: number,
): Promise<number> {
  const verdicts = await Promise.all(Array.from({ length: requests }, () => opened.take(caller)))
  return verdicts.filter(({ outcome }) => outcome === 'allowed').length
}

test('many concurrent requests: exactly as many as the limit are allowed', async (t) => {
  const opened = await openLimiter(t)

  assert.equal(await allowedOf(opened, key({ perMinute: 600, perDay: 1e4 }), 1_000), 600)
})

test('after a restart the counters, bans and ban lengths are the same', async (t) => {
  const opened = await openLimiter(t)
  assert.equal(await allowedOf(opened, key(FREE), 41), 41)
  await opened.restart()
  assert.equal(await allowedOf(opened, key(FREE), 119), 19)
  await opened.restart()

  assert.equal(await allowedOf(opened, key(FREE), 102), 0)
  const before = await opened.take(key(FREE))
  await opened.restart()
  assert.deepEqual(await opened.take(key(FREE)), before)
  assert.equal(before.outcome, 'banned')
  opened.clock.now += 900_000
  assert.equal(await allowedOf(opened, key(FREE), 161), 60)
  assert.equal((await opened.take(key(FREE))).retryAfterSeconds, 1_800)
})

test('after a crash a key loses at most one lease, and never gains a request', async (t) => {
  const opened = await openLimiter(t)
  assert.equal(await allowedOf(opened, key(FREE), 31), 31)
  await opened.crash()

  const rest = await allowedOf(opened, key(FREE), 100)

  assert.ok(rest <= 29 && rest >= 26, `${rest} after 31 of 60`)
})

for (const [about, byMs] of [
  ['a second on', 1_000],
  ['an hour back', -3_600_000],
  ['400 days on', 400 * 86_400_000],
  ['400 days back', -400 * 86_400_000],
] as const) {
  test(`the clock is set ${about}: windows and bans end as before, even after a crash`, async (t) => {
    const opened = await openLimiter(t)
    const other = { ...key(FREE), name: 'key:2' }
    assert.equal(await allowedOf(opened, key(FREE), 161), 60)
    assert.equal(await allowedOf(opened, other, 61), 60)
    const [banned, limited] = [await opened.take(key(FREE)), await opened.take(other)]

    opened.setClock(byMs)
    const shifted = { ...limited, resetAtSeconds: limited.resetAtSeconds + byMs / 1_000 }
    assert.deepEqual(await opened.take(other), shifted)
    await opened.crash()
    assert.deepEqual(await opened.take(other), shifted)
    assert.deepEqual(await opened.take(key(FREE)), {
      ...banned,
      resetAtSeconds: banned.resetAtSeconds + byMs / 1_000,
    })
    opened.clock.now += 60_000
    assert.equal(await allowedOf(opened, other, 61), 60)
    assert.equal((await opened.take(key(FREE))).retryAfterSeconds, 840)
  })
}

test('writes after a clock change: the later numbers are stored, whatever the order of the commits', async (t) => {
  const opened = await openLimiter(t)
  const [one, other] = [key(FREE), { ...key(FREE), name: 'key:2' }]
  for (const caller of [one, other]) await opened.take(caller)
  const held = opened.hold((rows) => rows === 2)
  opened.setClock(3_600_000)
  const taken = opened.take(one)
  await Promise.race([taken, held.met.then(() => turns(2_000))])
  held.release()
  await taken
  await held.written

  const { minute_used } = await opened.db
    .selectFrom('counter')
    .select('minute_used')
    .where('caller', '=', 'key:1')
    .executeTakeFirstOrThrow()
  assert.ok(minute_used >= 2, `${minute_used} of 2 requests`)
})

test('the clock is set while the store is down: requests are refused, and no window ends early', async (t) => {
  const opened = await openLimiter(t)
  assert.equal(await allowedOf(opened, key(FREE), 59), 59)
  await sql`alter table counter rename to away`.execute(opened.db)
  opened.setClock(3_600_000)

  assert.match(String((await opened.take(key(FREE))).storeError), /no such table/)
  await sql`alter table away rename to counter`.execute(opened.db)
  const next = await opened.take(key(FREE))
  assert.deepEqual([next.outcome, next.storeError], ['limited', undefined], 'the refused request was charged')
})

test('a window that starts slightly in the future delays no request', async (t) => {
  const { take, clock } = await openLimiter(t)
  const first = take(key(FREE))
  // A clock change is measured to a hundredth of a second.
  clock.now += 10_000
  clock.movedMs += 10_005

  const verdicts = await Promise.all([first, take(key(FREE))])
  assert.deepEqual(
    verdicts.map(({ remaining }) => remaining),
    [59, 58],
  )
})

test('after random restarts the verdicts equal those of the reference rule', async (t) => {
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ pause: fc.constantFrom(0, 1, 500, 20_000, 60_000), requests: fc.nat(9) }),
    },
    { weight: 1, arbitrary: fc.constant('restart' as const) },
  )
  const opened = await openLimiter(t)
  const limits = { perMinute: 7, perDay: 30 }
  const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
    const caller = stranger(limits)
    let state: State = INITIAL_STATE
    for (const next of steps) {
      if (next === 'restart') await opened.restart()
      else {
        opened.clock.now += next.pause
        for (let sent = 0; sent < next.requests; sent += 1) {
          const result = evaluate(state, limits, undefined, opened.clock.now)
          state = result.state
          assert.deepEqual(await opened.take(caller), result.verdict)
        }
      }
    }
  })
  await fc.assert(property, { numRuns: 30 })
})

test('after random crashes no window allows more than its limit', async (t) => {
  const step = fc.record({
    pause: fc.constantFrom(0, 1, 9_000, 30_000, 60_000),
    requests: fc.nat(30),
    crash: fc.boolean(),
  })
  const opened = await openLimiter(t)
  const limits = { perMinute: 40, perDay: 100 }
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
    const caller = stranger(limits)
    const allowedIn = new Map<number, number>()
    for (const { pause, requests, crash } of steps) {
      opened.clock.now += pause
      for (let sent = 0; sent < requests; sent += 1) {
        const { outcome, limit, resetAtSeconds } = await opened.take(caller)
        if (outcome !== 'allowed') continue
        const window = limit * 1e12 + resetAtSeconds
        allowedIn.set(window, (allowedIn.get(window) ?? 0) + 1)
        assert.ok((allowedIn.get(window) ?? 0) <= limit, `window ${window}`)
      }
      if (crash) await opened.crash()
    }
    const inTheDay = [...allowedIn.values()].reduce((sum, count) => sum + count, 0)
    assert.ok(inTheDay <= limits.perDay)
  })
  await fc.assert(property, { numRuns: 30 })
})

test('sweep removes callers whose windows have ended, and no other callers', async (t) => {
  const opened = await openLimiter(t)
  await opened.take({ name: 'key:1', limits: FREE })
  opened.clock.now += 86_399_000
  await opened.take({ name: 'key:2', limits: FREE })
  opened.clock.now += 2_000
  await opened.sweep()

  const stored = await counters.list(opened.db, 0)
  assert.deepEqual(
    stored.map(({ caller }) => caller),
    ['key:2'],
  )
})
