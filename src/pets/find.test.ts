import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareSearches } from '../testing/search-checks.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

const seed = Number(process.env.SEARCH_SEED ?? Date.now() % 1e6)
const [ANIMALS, SEARCHES] = [120, 150]

test(`searches find what looking at each animal finds, in its order (seed ${seed})`, async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const hits = await compareSearches([app], { seed, animals: ANIMALS, searches: SEARCHES })
  // A test of searches that find nothing would prove little.
  assert.ok(hits > SEARCHES / 4, `${hits} of ${SEARCHES} searches found something`)
})
