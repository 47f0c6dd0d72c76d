import type { TestContext } from 'node:test'
import { parseArgs } from 'node:util'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { compareSearches } from '../../src/testing/search-checks.ts'
import { globalSetup, globalTeardown } from '../../src/testing/setup.ts'
import { startApp, type TestApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { insist } from '../lab/parallel.ts'

// The long version of src/pets/search/find.slow.test.ts, on both engines; README.md says how it is run.

const { values } = parseArgs({
  options: { searches: { type: 'string', default: '100000' }, seed: { type: 'string' } },
})
const searches = Number(values.searches)
const seed = Number(values.seed ?? Date.now() % 1e6)

if (![searches, seed].every(Number.isSafeInteger)) throw new Error('--searches and --seed are whole numbers')

/** New animals with each store: in one that all searches change, the last ones would look at the same few. */
const SEARCHES_OF_A_STORE = 2_000
const ANIMALS = 120
const KEY = { ...UNLIMITED, access: 'admin' } as const

// No test of node's runner, whose hooks take a fifth of the time: what is opened is closed behind each store.
await globalSetup()
let hits = 0
const begun = performance.now()
for (let done = 0; done < searches; done += SEARCHES_OF_A_STORE) {
  const count = Math.min(SEARCHES_OF_A_STORE, searches - done)
  await compare(seed + done, count)
  const seconds = Math.round((performance.now() - begun) / 1_000)
  console.log(`seed ${seed + done}: ${done + count} searches, ${hits} found something, after ${seconds} s`)
}
await globalTeardown()

/** @throws at the first search that does not find the same */
async function compare(seed: number, searches: number): Promise<void> {
  const closing: (() => unknown)[] = []
  const t = { after: (close: () => unknown) => closing.push(close) } as unknown as TestContext
  const embedded = await startApp(t, { key: KEY })
  const server = await startApp(t, { key: KEY, databaseUrl: await scratchDatabase(t) })
  const apps = [embedded, server].map(patient)
  hits += await compareSearches(apps, { seed, animals: ANIMALS, searches })
  for (const close of closing) await close()
}

function patient(app: TestApp): TestApp {
  return {
    ...app,
    get: (path) => insist(() => app.get(path)),
    post: (path, body) => insist(() => app.post(path, body)),
  }
}
