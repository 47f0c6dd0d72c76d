import type { TestContext } from 'node:test'
import { parseArgs } from 'node:util'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { compareSearches } from '../../src/testing/search-checks.ts'
import { globalSetup, globalTeardown } from '../../src/testing/setup.ts'
import { startApp, type TestApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { retryUnavailable } from '../lab/parallel.ts'

// The long version of src/pets/search/find.slow.test.ts, on both engines; see README.md.

const { values } = parseArgs({
  options: { searches: { type: 'string', default: '100000' }, seed: { type: 'string' } },
})
const searches = Number(values.searches)
const seed = Number(values.seed ?? Date.now() % 1e6)

if (![searches, seed].every(Number.isSafeInteger))
  throw new Error('--searches and --seed must be whole numbers')

/** Each store has new animals, because after the changes between searches fewer and fewer animals match. */
const SEARCHES_PER_STORE = 2_000
const ANIMALS = 120
const KEY = { ...UNLIMITED, access: 'admin' } as const

// Not a node:test, whose hooks take a fifth of the time. Each store is closed when its searches are done.
await globalSetup()
let hits = 0
const startedAt = performance.now()
for (let done = 0; done < searches; done += SEARCHES_PER_STORE) {
  const count = Math.min(SEARCHES_PER_STORE, searches - done)
  await compare(seed + done, count)
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  console.log(`seed ${seed + done}: ${done + count} searches, ${hits} found something, after ${seconds} s`)
}
await globalTeardown()

/** @throws at the first search with a different result */
async function compare(seed: number, searches: number): Promise<void> {
  const closers: (() => unknown)[] = []
  const t = { after: (close: () => unknown) => closers.push(close) } as unknown as TestContext
  const embedded = await startApp(t, { key: KEY })
  const server = await startApp(t, { key: KEY, databaseUrl: await scratchDatabase(t) })
  const apps = [embedded, server].map(withRetries)
  hits += await compareSearches(apps, { seed, animals: ANIMALS, searches })
  for (const close of closers) await close()
}

function withRetries(app: TestApp): TestApp {
  return {
    ...app,
    get: (path) => retryUnavailable(() => app.get(path)),
    post: (path, body) => retryUnavailable(() => app.post(path, body)),
  }
}
