import { test } from 'node:test'
import { parseArgs } from 'node:util'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { compareSearches } from '../../src/testing/search-checks.ts'
import { globalSetup, globalTeardown } from '../../src/testing/setup.ts'
import { startApp, UNLIMITED } from '../../src/testing/start-app.ts'

// The long version of src/pets/find.test.ts, on both engines; README.md says how it is run.

const { values } = parseArgs({
  options: { searches: { type: 'string', default: '100000' }, seed: { type: 'string' } },
})
const searches = Number(values.searches)
const seed = Number(values.seed ?? Date.now() % 1e6)

if (![searches, seed].every(Number.isSafeInteger)) throw new Error('--searches and --seed are whole numbers')

/** New animals with each store: in one that all searches change, the last ones would look at the same few. */
const SEARCHES_OF_A_STORE = 500
const ANIMALS = 120
const KEY = { ...UNLIMITED, access: 'admin' } as const

await globalSetup()
let hits = 0
const begun = performance.now()
for (let done = 0; done < searches; done += SEARCHES_OF_A_STORE) {
  const count = Math.min(SEARCHES_OF_A_STORE, searches - done)
  await test(`${count} searches of seed ${seed + done} find the same on both engines`, async (t) => {
    const embedded = await startApp(t, { key: KEY })
    const server = await startApp(t, { key: KEY, databaseUrl: await scratchDatabase(t) })
    hits += await compareSearches([embedded, server], {
      seed: seed + done,
      animals: ANIMALS,
      searches: count,
    })
  })
  const seconds = Math.round((performance.now() - begun) / 1_000)
  console.log(`${done + count} searches, ${hits} found something, after ${seconds} s`)
}
await globalTeardown()
