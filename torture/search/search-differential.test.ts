import { test } from 'node:test'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { compareSearches } from '../../src/testing/search-checks.ts'
import { startApp, type TestApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { retryUnavailable } from '../lab/parallel.ts'
import { reportFigure, rounds, seed } from '../lab/rounds.ts'

// The long version of src/pets/search/find.slow.test.ts, on both engines; see README.md.

const SEARCHES = rounds(100_000)
/** Each store has new animals, because after the changes between searches fewer and fewer animals match. */
const SEARCHES_PER_STORE = 2_000
const ANIMALS = 120
const KEY = { ...UNLIMITED, access: 'admin' } as const

const withRetries = (app: TestApp): TestApp => ({
  ...app,
  get: (path) => retryUnavailable(() => app.get(path)),
  post: (path, body) => retryUnavailable(() => app.post(path, body)),
})

test(`${SEARCHES} searches: both engines find what a scan of all animals finds`, async (t) => {
  let hits = 0
  for (let done = 0; done < SEARCHES; done += SEARCHES_PER_STORE) {
    const searches = Math.min(SEARCHES_PER_STORE, SEARCHES - done)
    await t.test(`${searches} searches of seed ${seed + done}`, async (t) => {
      const apps = [await startApp(t, { key: KEY })]
      apps.push(await startApp(t, { key: KEY, databaseUrl: await scratchDatabase(t) }))
      hits += await compareSearches(apps.map(withRetries), { seed: seed + done, animals: ANIMALS, searches })
    })
  }
  reportFigure(t, `${SEARCHES} searches, ${hits} found something: 0 differ`)
})
