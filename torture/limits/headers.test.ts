import assert from 'node:assert/strict'
import type { Limits } from '../../src/plans.ts'
import { times } from '../lab/parallel.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { makeKeys, onEach } from '../lab/stores.ts'
import { looker, type Seen, startServices } from './answers.ts'
import { countExcuses, mostExcused, untilPrompt } from './excuses.ts'

const WINDOWS = rounds(1_000)
const BURST = 64
const DAY_SECONDS = 86_400

onEach('the three headers tell the truth on every answer', async (t, { stores, embedded, part }) => {
  const random = randomOf(part)
  const wanted = times(WINDOWS + mostExcused(WINDOWS), () => {
    return { perMinute: random.whole(1, BURST), perDay: random.whole(1, BURST) }
  })
  const named = wanted.map((limits) => ({ plan: 'enterprise', limits }) as const)
  const keys = await makeKeys(stores.DATABASE_URL, named)
  const services = await startServices(t, embedded ? 1 : 4, stores)
  const look = looker(t, 2 * BURST)
  const excuses = countExcuses(WINDOWS, services, embedded)

  let [answered, exact] = [0, 0]
  for (const [place, limits] of wanted.entries()) {
    if (exact === WINDOWS) break
    const ask = (): Promise<Seen> => look(random.pick(services).address, keys[place])
    if (!embedded) await untilPrompt(look, services)
    // The first one opens both windows; the others see what is left, one after the other or all at once.
    const first = await ask()
    const others = random.whole(BURST / 2, BURST + 20)
    const inTurn = place % 3 === 0
    const seen = inTurn ? [] : await Promise.all(times(others, ask))
    while (seen.length < others) seen.push(await ask())
    answered += seen.length + 1
    assertPossible([first, ...seen], limits)
    try {
      assertExact([first, ...(inTurn ? seen : seen.sort(byWhatIsLeft))], limits)
      exact += 1
    } catch (difference) {
      await excuses.add({ difference, seen: [first, ...seen] })
    }
  }
  reached(t, `${answered} answers, 0 contradictions in ${exact} windows${excuses.figure}`)
})

/** What were all at once are in the order in which they were judged: those served first, with most left first. */
function byWhatIsLeft(one: Seen, two: Seen): number {
  return one.status - two.status || two.remaining - one.remaining
}

/** What holds whatever has failed: never more than the limit, and no header that cannot be. */
function assertPossible(seen: Seen[], { perMinute, perDay }: Limits): void {
  const limit = Math.min(perMinute, perDay)
  const served = seen.filter(({ status }) => status === 200)
  assert.ok(served.length <= limit, `${served.length} served of ${limit}`)
  for (const one of seen) {
    const about = JSON.stringify(one)
    const [sentAt, heardAt] = [one.sentAt / 1_000, one.heardAt / 1_000]
    assert.ok([200, 429, 503].includes(one.status), about)
    // Without Redis the other window may have less left.
    assert.ok(one.limit === perMinute || one.limit === perDay, about)
    assert.ok(one.status === 200 ? one.remaining >= 0 && one.remaining < limit : one.remaining === 0, about)
    const length = one.limit === perDay ? DAY_SECONDS : 60
    assert.ok(one.reset >= Math.floor(sentAt) && one.reset <= Math.ceil(heardAt) + length, about)
    if (one.status !== 429) continue
    // Both are rounded up, each from its own fraction of a second.
    assert.ok(one.retryAfter >= Math.max(1, Math.ceil(one.reset - 1 - heardAt)), about)
    assert.ok(one.retryAfter <= Math.max(1, Math.ceil(one.reset - sentAt)), about)
  }
}

/** @param seen in the order in which they were judged: each leaves one fewer, and then nothing is left */
function assertExact(seen: Seen[], { perMinute, perDay }: Limits): void {
  const limit = Math.min(perMinute, perDay)
  assert.deepEqual(
    seen.map(({ status, remaining }) => [status, remaining]),
    seen.map((_, place) => (place < limit ? [200, limit - 1 - place] : [429, 0])),
  )
  for (const one of seen)
    assert.deepEqual([one.limit, one.reset], [limit, seen[0]?.reset], JSON.stringify(one))
}
