import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { UNLIMITED } from '../src/testing/start-app.ts'
import { asker, inTurn, type Outcome, type Place, REFUSALS, type Seen, startPlaces } from './bans-places.ts'
import { countExcuses, type Excuses, isHung, mostExcused } from './exact-excuses.ts'
import { makeKeys, serveOne } from './exact-services.ts'
import { randomOf, reached, rounds } from './given.ts'
import type { Random } from './random.ts'
import { STORES } from './stores.ts'

const KEYS = rounds(500)
const AT_ONCE = 10
/** Of a key that was refused without Redis, until it is banned after all. */
const MOST_MORE = 60

for (const [part, stores] of STORES.entries()) {
  const { skip } = stores
  test(`a ban comes with the exact refusal, everywhere, and ends as told, on ${stores.name}`, {
    skip,
  }, async (t) => {
    const random = randomOf(part)
    const opened = await stores.open(t)
    const places = await startPlaces(t, part === 0 ? 1 : 4, opened)
    const wanted = Array.from({ length: KEYS + mostExcused(KEYS) }, () => random.whole(1, 20))
    const named = wanted.map(
      (perMinute) => ({ plan: 'enterprise', limits: { perMinute, perDay: 1e6 } }) as const,
    )
    const [bystander = '', ...made] = await makeKeys(opened.DATABASE_URL, [UNLIMITED, ...named])
    const ask = asker(t, places)
    const anywhere = (key: string) => ask(random.pick(places), key)
    const servers = places.map(({ server }) => server)
    const excuses = part === 0 ? undefined : countExcuses(KEYS, servers)
    const asking = { random, anywhere, excuses }

    async function awaitEnd(key: string, reset: number): Promise<void> {
      // All of them know, and nobody else is meant.
      for (const place of places) assertBanned(await ask(place, key), reset)
      assert.equal((await anywhere(bystander)).outcome, 'served')
      for (;;) {
        const one = await anywhere(key)
        if (one.outcome !== 'api_key_banned') {
          // Up to a second is lost in rounding up.
          assert.ok(one.heardAt >= (reset - 1) * 1_000, 'the ban ended too early')
          return assert.equal(one.outcome, 'rate_limit_exceeded')
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
      const reset = await ban(asking, key, wanted[place] ?? 0)
      if (reset === undefined) return banOne()
      bans += 1
      await awaitEnd(key, reset)
    }
    const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
      for (let place = lane; place < KEYS; place += AT_ONCE) await banOne()
    })
    await Promise.all(lanes)
    const figure = `${bans} bans, each after exactly ${REFUSALS} refusals`
    reached(t, excuses ? `${figure}; ${excuses.figure()}` : figure)
  })

  test(`a ban survives kill -9 of every process, on ${stores.name}`, { skip }, async (t) => {
    const opened = await stores.open(t)
    const settings = { ...opened, BAN_SECONDS: '900' }
    const places = await startPlaces(t, part === 0 ? 1 : 2, settings)
    const ask = asker(t, places)
    const limits = { perMinute: 1, perDay: 2 }
    const named = Array.from({ length: Math.min(KEYS, 50) }, () => ({ plan: 'enterprise', limits }) as const)
    const made = await makeKeys(opened.DATABASE_URL, named)
    const before = []
    for (const key of made) {
      const seen = await inTurn(REFUSALS + 2, () => ask(places[0] as Place, key))
      before.push(seen.at(-1))
    }
    for (const place of places) {
      place.server.child.kill('SIGKILL')
      await place.server.exited
    }
    for (const place of places) place.server = await serveOne(t, place.settings)
    for (const [number, key] of made.entries()) {
      const seen = await ask(places.at(-1) as Place, key)
      assert.deepEqual([seen.outcome, seen.reset], ['api_key_banned', before[number]?.reset])
    }
    reached(t, `${made.length} bans are what they were`)
  })
}

interface Asking {
  random: Random
  anywhere(key: string): Promise<Seen>
  /** Absent where nothing explains a difference. */
  excuses: Excuses | undefined
}

/** @returns when the ban ends, as all answers say; undefined when it was excused from coming exactly */
async function ban({ random, anywhere, excuses }: Asking, key: string, limit: number) {
  const began = Date.now()
  const sent = limit + REFUSALS + 5
  const seen = random.often(0.5)
    ? await Promise.all(Array.from({ length: sent }, () => anywhere(key)))
    : await inTurn(sent, () => anywhere(key))
  const counts = countsOf(seen)
  if (!isDeepStrictEqual(counts, [limit, REFUSALS, 5])) {
    const difference = new Error(`served, refused, banned: ${counts}, of a limit of ${limit}`)
    if (!excuses) throw difference
    const hung = seen.some(isHung)
    // Those that were refused without Redis do not count: the ban comes later, and never sooner.
    seen.push(...(await untilBanned(() => anywhere(key))))
    const [served, refused] = countsOf(seen)
    assert.ok(served <= limit && refused >= REFUSALS, `${counts}, then ${countsOf(seen)}, of ${limit}`)
    await excuses.add({ difference, hung, began })
    return undefined
  }
  const banned = seen.filter(({ outcome }) => outcome === 'api_key_banned')
  const [{ reset } = { reset: 0 }] = banned
  for (const one of banned) assertBanned(one, reset)
  return reset
}

function assertBanned({ outcome, retryAfter, reset, sentAt, heardAt }: Seen, end: number): void {
  const about = JSON.stringify({ outcome, retryAfter, reset, end, sentAt, heardAt })
  assert.deepEqual([outcome, reset], ['api_key_banned', end], about)
  assert.ok(retryAfter >= Math.max(1, Math.ceil(end - 1 - heardAt / 1_000)), about)
  assert.ok(retryAfter <= Math.max(1, Math.ceil(end - sentAt / 1_000)), about)
}

function countsOf(seen: Seen[]): [served: number, refused: number, banned: number] {
  const count = (wanted: Outcome) => seen.filter(({ outcome }) => outcome === wanted).length
  return [count('served'), count('rate_limit_exceeded'), count('api_key_banned')]
}

/** One after the other; what hung is over by then. */
async function untilBanned(ask: () => Promise<Seen>): Promise<Seen[]> {
  const seen: Seen[] = []
  while (seen.at(-1)?.outcome !== 'api_key_banned') {
    assert.ok(seen.length < MOST_MORE, `not banned: ${countsOf(seen)}`)
    seen.push(await ask())
    await pause(50)
  }
  return seen
}
