import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import * as keyStore from '../../src/keys/store.ts'
import { PLANS } from '../../src/plans.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { each, repeat, times } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { ANYBODY, type Service, type Settings } from '../lab/service.ts'
import { makeKeys, onEach, withStore } from '../lab/stores.ts'
import { looker, type Seen, startServices } from './answers.ts'
import { countExcuses, type Excuses, mostExcused } from './excuses.ts'

const ROUNDS = rounds(500)
const AT_ONCE = 10
/** On the servers. Each start takes longer than a short run's rounds. */
const PROCESSES = ROUNDS < 10 ? 2 : 4
/** Those that a key may meet before it is banned. */
const REFUSALS = 7
/** Of a key that was refused without Redis, until it is banned after all. */
const MOST_MORE = 60

const startBanning = (t: TestContext, count: number, settings: Settings): Promise<Service[]> =>
  startServices(t, count, { BAN_AFTER_REFUSALS: String(REFUSALS), BAN_SECONDS: '3', ...ANYBODY, ...settings })

onEach('a ban comes with the exact refusal, everywhere, and ends as told', async (t, on) => {
  const { stores, embedded, part } = on
  const random = randomOf(part)
  const services = await startBanning(t, embedded ? 1 : PROCESSES, stores)
  const wanted = times(ROUNDS + mostExcused(ROUNDS), () => random.whole(1, 20))
  const limitsOf = (perMinute: number) =>
    ({ plan: 'enterprise', limits: { perMinute, perDay: 1e6 } }) as const
  const [bystander = '', ...made] = await makeKeys(stores.DATABASE_URL, [UNLIMITED, ...wanted.map(limitsOf)])
  const look = looker(t, 64 / services.length)
  const anywhere = (key: string): Promise<Seen> => look(random.pick(services).address, key)
  const excuses = countExcuses(ROUNDS, services, embedded)

  async function awaitEnd(key: string, reset: number): Promise<void> {
    // All of them know, and nobody else is meant.
    for (const { address } of services) assertBanned(await look(address, key), reset)
    assert.equal((await anywhere(bystander)).status, 200)
    for (;;) {
      const one = await anywhere(key)
      if (one.code !== 'api_key_banned') {
        // Up to a second is lost in rounding up.
        assert.ok(one.heardAt >= (reset - 1) * 1_000, 'the ban ended too early')
        return assert.equal(one.code, 'rate_limit_exceeded')
      }
      assert.ok(one.sentAt < reset * 1_000, 'the ban did not end')
      await pause(random.whole(50, 300))
    }
  }

  let [next, bans] = [0, 0]
  /** Of one key after the other, until one ban was exact. */
  async function banOne(): Promise<void> {
    const place = next
    next += 1
    const key = made[place] ?? ''
    const reset = await ban({ random, excuses, ask: () => anywhere(key) }, wanted[place] ?? 0)
    if (reset === undefined) return banOne()
    bans += 1
    await awaitEnd(key, reset)
  }
  await each(Array(ROUNDS).keys(), AT_ONCE, banOne)
  reached(t, `${bans} bans, each after exactly ${REFUSALS} refusals${excuses.figure}`)
})

interface Asking {
  random: Random
  ask(): Promise<Seen>
  excuses: Excuses
}

/** @returns when the ban ends, as all answers say; undefined when it was excused from coming exactly */
async function ban({ random, ask, excuses }: Asking, limit: number) {
  const sent = limit + REFUSALS + 5
  const seen = random.often(0.5) ? await Promise.all(times(sent, ask)) : await inTurn(sent, ask)
  const counts = countsOf(seen)
  if (!isDeepStrictEqual(counts, [limit, REFUSALS, 5])) {
    const difference = new Error(`served, refused, banned: ${counts}, of a limit of ${limit}`)
    await excuses.add({ difference, seen })
    // Those that were refused without Redis do not count: the ban comes later, and never sooner.
    const more = [...seen, ...(await untilBanned(ask))]
    const [served, refused] = countsOf(more)
    assert.ok(served <= limit && refused >= REFUSALS, `${counts}, then ${countsOf(more)}, of ${limit}`)
    return undefined
  }
  const banned = seen.filter(({ code }) => code === 'api_key_banned')
  const [{ reset } = { reset: 0 }] = banned
  for (const one of banned) assertBanned(one, reset)
  return reset
}

function assertBanned({ code, retryAfter, reset, sentAt, heardAt }: Seen, end: number): void {
  const about = JSON.stringify({ code, retryAfter, reset, end, sentAt, heardAt })
  assert.deepEqual([code, reset], ['api_key_banned', end], about)
  assert.ok(retryAfter >= Math.max(1, Math.ceil(end - 1 - heardAt / 1_000)), about)
  assert.ok(retryAfter <= Math.max(1, Math.ceil(end - sentAt / 1_000)), about)
}

function countsOf(seen: Seen[]): [served: number, refused: number, banned: number] {
  const count = (wanted: string | undefined) => seen.filter(({ code }) => code === wanted).length
  return [count(undefined), count('rate_limit_exceeded'), count('api_key_banned')]
}

async function inTurn(count: number, ask: () => Promise<Seen>): Promise<Seen[]> {
  const seen: Seen[] = []
  while (seen.length < count) seen.push(await ask())
  return seen
}

/** One after the other; what hung is over by then. */
async function untilBanned(ask: () => Promise<Seen>): Promise<Seen[]> {
  const seen: Seen[] = []
  while (seen.at(-1)?.code !== 'api_key_banned') {
    assert.ok(seen.length < MOST_MORE, `not banned: ${countsOf(seen)}`)
    seen.push(await ask())
    await pause(50)
  }
  return seen
}

onEach('a ban survives kill -9 of every process', async (t, { stores, embedded }) => {
  const services = await startBanning(t, embedded ? 1 : 2, { ...stores, BAN_SECONDS: '900' })
  const look = looker(t, 16)
  const limits = { perMinute: 1, perDay: 2 }
  const made = await makeKeys(
    stores.DATABASE_URL,
    times(Math.min(ROUNDS, 50), () => ({ plan: 'enterprise', limits }) as const),
  )
  const ends: (number | undefined)[] = []
  for (const key of made) {
    const seen = await inTurn(REFUSALS + 2, () => look(services[0]?.address ?? '', key))
    ends.push(seen.at(-1)?.reset)
  }
  for (const service of services) await service.end()
  for (const service of services) await service.start()
  for (const [number, key] of made.entries()) {
    const { code, reset } = await look(services.at(-1)?.address ?? '', key)
    assert.deepEqual([code, reset], ['api_key_banned', ends[number]])
  }
  reached(t, `${made.length} bans are what they were`)
})

const CLIENTS = 16
/** Of all other answers the headers tell of the address. */
const OF_THE_KEY = [undefined, 'rate_limit_exceeded', 'api_key_banned']
/** By then a change holds in every process, in milliseconds. */
const HOLDS_AFTER = 1_000
const FREE = { plan: 'free', per_minute: null, per_day: null } as const

onEach('after a second a revoked key serves nothing more and a new plan holds', async (t, on) => {
  const { stores, embedded, part } = on
  const random = randomOf(part)
  const services = await startBanning(t, embedded ? 1 : PROCESSES, stores)
  const look = looker(t, 64 / services.length)
  let [latest, requests] = [0, 0]
  await withStore(stores.DATABASE_URL, async ({ db, write }) => {
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      const [key = ''] = await makeKeys(stores.DATABASE_URL, [UNLIMITED])
      const id = (await keyStore.list(db)).at(-1)?.id ?? 0
      const seen: Seen[] = []
      const load = repeat(CLIENTS, async () => {
        t.signal.throwIfAborted()
        seen.push(await look(random.pick(services).address, key))
      })
      await pause(random.whole(50, 300))
      await db.updateTable('api_key').set(FREE).where('id', '=', id).execute()
      const plannedAt = Date.now()
      await pause(HOLDS_AFTER + random.whole(100, 300))
      await write('revokeKey', id, Date.now())
      const revokedAt = Date.now()
      await pause(HOLDS_AFTER + random.whole(100, 300))
      await load.stop()

      assert.ok(seen.some(({ code, sentAt }) => code === undefined && sentAt < plannedAt))
      for (const { code, limit, sentAt } of seen) {
        if (!OF_THE_KEY.includes(code)) continue
        const [planned, revoked] = [sentAt - plannedAt, sentAt - revokedAt]
        const isOld = limit > PLANS.free.perDay
        latest = Math.max(latest, revoked, isOld ? planned : 0)
        assert.ok(!isOld || planned < HOLDS_AFTER, `the old plan ${planned} ms after its end`)
        assert.ok(revoked < HOLDS_AFTER, `${code ?? 'served'} ${revoked} ms after the end`)
      }
      assert.ok(seen.some(({ code }) => code === 'invalid_api_key'))
      requests += seen.length
    }
  })
  const figure = `${ROUNDS} changes and revocations under ${requests} requests`
  reached(t, `${figure}: the latest seen after ${latest} ms`)
})
