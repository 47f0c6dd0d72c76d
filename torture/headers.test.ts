import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connections, type Figures, figuresOf, makeKeys, serveMany } from './exact-services.ts'
import { randomOf, reached, rounds } from './given.ts'
import { STORES } from './stores.ts'

const WINDOWS = rounds(1_000)
const BURST = 64
/** As in exact.test.ts. */
const HANGING_MS = 150
const AFTERMATH_MS = 10_000

for (const [part, stores] of STORES.entries()) {
  const { skip } = stores
  test(`the three headers tell the truth on every answer, on ${stores.name}`, { skip }, async (t) => {
    const random = randomOf(part)
    const settings = await stores.open(t)
    const wanted = Array.from({ length: WINDOWS }, () => {
      return { perMinute: random.whole(1, BURST), perDay: random.whole(1, BURST) }
    })
    const named = wanted.map((limits) => ({ plan: 'enterprise', limits }) as const)
    const keys = await makeKeys(settings.DATABASE_URL, named)
    const servers = await serveMany(t, part === 0 ? 1 : 4, settings)
    const { get } = connections(t, BURST)

    let [answered, alone, hungAt] = [0, 0, Number.NEGATIVE_INFINITY]
    for (const [place, limits] of wanted.entries()) {
      const ask = async (): Promise<Seen> => {
        const sentAt = Date.now() / 1_000
        const answer = await get(random.pick(servers).address, '/v1/pets?limit=1', keys[place])
        return { status: answer.status, ...figuresOf(answer), sentAt, heardAt: Date.now() / 1_000 }
      }
      // The first one opens both windows; the others see what is left, one after the other or all at once.
      const seen = [await ask()]
      const others = random.whole(BURST / 2, BURST + 20)
      if (random.often(0.3)) for (let sent = 0; sent < others; sent += 1) seen.push(await ask())
      else seen.push(...(await Promise.all(Array.from({ length: others }, ask))))
      answered += seen.length
      if (part > 0 && seen.some(hung)) hungAt = performance.now()
      try {
        assertTrue(seen, Math.min(limits.perMinute, limits.perDay))
      } catch (error) {
        // Of a share of what was left, while Redis seems lost on a machine that is too busy.
        if (performance.now() - hungAt > AFTERMATH_MS) throw error
        alone += 1
      }
    }
    const figure = `${answered} answers in ${WINDOWS} windows, 0 contradictions`
    reached(t, alone > 0 ? `${figure}; ${alone} windows while Redis seemed lost` : figure)
  })
}

type Seen = Figures & { status: number; sentAt: number; heardAt: number }

function hung({ status, sentAt, heardAt }: Seen): boolean {
  return status === 503 || (heardAt - sentAt) * 1_000 > HANGING_MS
}

function assertTrue(seen: Seen[], limit: number): void {
  const served = seen.filter(({ status }) => status === 200)
  const left = served.map(({ remaining }) => remaining)
  assert.deepEqual(
    left.sort((one, two) => two - one),
    left.map((_, place) => limit - 1 - place),
  )
  const [first] = seen as [Seen]
  for (const one of seen) {
    const about = JSON.stringify(one)
    assert.deepEqual([one.limit, one.reset], [limit, first.reset], about)
    if (one.status === 200) continue
    assert.deepEqual([one.status, one.remaining], [429, 0], about)
    // Both are rounded up, each from its own fraction of a second.
    assert.ok(one.retryAfter >= Math.max(1, Math.ceil(one.reset - 1 - one.heardAt)), about)
    assert.ok(one.retryAfter <= Math.max(1, Math.ceil(one.reset - one.sentAt)), about)
  }
}
