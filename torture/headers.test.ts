import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Limits } from '../src/plans.ts'
import { countExcuses, isHung, mostExcused, untilPrompt } from './exact-excuses.ts'
import { connections, type Figures, figuresOf, makeKeys, serveMany } from './exact-services.ts'
import { randomOf, reached, rounds } from './given.ts'
import { STORES } from './stores.ts'

const WINDOWS = rounds(1_000)
const BURST = 64
const DAY_SECONDS = 86_400

for (const [part, stores] of STORES.entries()) {
  const { skip } = stores
  test(`the three headers tell the truth on every answer, on ${stores.name}`, { skip }, async (t) => {
    const random = randomOf(part)
    const settings = await stores.open(t)
    const wanted = Array.from({ length: WINDOWS + mostExcused(WINDOWS) }, () => {
      return { perMinute: random.whole(1, BURST), perDay: random.whole(1, BURST) }
    })
    const named = wanted.map((limits) => ({ plan: 'enterprise', limits }) as const)
    const keys = await makeKeys(settings.DATABASE_URL, named)
    const servers = await serveMany(t, part === 0 ? 1 : 4, settings)
    const connected = connections(t, 2 * BURST)
    const excuses = part === 0 ? undefined : countExcuses(WINDOWS, servers)

    let [answered, exact] = [0, 0]
    for (const [place, limits] of wanted.entries()) {
      if (exact === WINDOWS) break
      const ask = async (): Promise<Seen> => {
        const sentAt = Date.now() / 1_000
        const answer = await connected.get(random.pick(servers).address, '/v1/pets?limit=1', keys[place])
        const { status, tookMs } = answer
        return { status, tookMs, ...figuresOf(answer), sentAt, heardAt: Date.now() / 1_000 }
      }
      if (excuses) await untilPrompt(connected, servers)
      const began = Date.now()
      // The first one opens both windows; the others see what is left, one after the other or all at once.
      const first = await ask()
      const others = random.whole(BURST / 2, BURST + 20)
      const inTurn = place % 3 === 0
      const seen = inTurn ? [] : await Promise.all(Array.from({ length: others }, ask))
      while (seen.length < others) seen.push(await ask())
      answered += seen.length + 1
      assertPossible([first, ...seen], limits)
      try {
        assertExact([first, ...(inTurn ? seen : seen.sort(byWhatIsLeft))], limits)
        exact += 1
      } catch (difference) {
        if (!excuses) throw difference
        await excuses.add({ difference, hung: [first, ...seen].some(isHung), began })
      }
    }
    const figure = `${answered} answers, 0 contradictions in ${exact} windows`
    reached(t, excuses ? `${figure}; ${excuses.figure()}` : figure)
  })
}

type Seen = Figures & { status: number; tookMs: number; sentAt: number; heardAt: number }

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
    assert.ok([200, 429, 503].includes(one.status), about)
    // Without Redis the other window may have less left.
    assert.ok(one.limit === perMinute || one.limit === perDay, about)
    assert.ok(one.status === 200 ? one.remaining >= 0 && one.remaining < limit : one.remaining === 0, about)
    const length = one.limit === perDay ? DAY_SECONDS : 60
    assert.ok(one.reset >= Math.floor(one.sentAt) && one.reset <= Math.ceil(one.heardAt) + length, about)
    if (one.status !== 429) continue
    // Both are rounded up, each from its own fraction of a second.
    assert.ok(one.retryAfter >= Math.max(1, Math.ceil(one.reset - 1 - one.heardAt)), about)
    assert.ok(one.retryAfter <= Math.max(1, Math.ceil(one.reset - one.sentAt)), about)
  }
}

/** @param seen in the order in which they were judged: each leaves one fewer, and then nothing is left */
function assertExact(seen: Seen[], { perMinute, perDay }: Limits): void {
  const limit = Math.min(perMinute, perDay)
  assert.deepEqual(
    seen.map(({ status, remaining }) => [status, remaining]),
    seen.map((_, place) => (place < limit ? [200, limit - 1 - place] : [429, 0])),
  )
  for (const one of seen) {
    assert.deepEqual([one.limit, one.reset], [limit, seen[0]?.reset], JSON.stringify(one))
  }
}
