import assert from 'node:assert/strict'
import { fuzz } from '../contract/fuzz.ts'
import { reportFigure, rounds } from '../lab/rounds.ts'
import { testOnEachStore } from '../lab/stores.ts'

/** Requests on each store. */
const REQUESTS = rounds(50_000)

testOnEachStore(`${REQUESTS} requests with changed bytes: HTTP answers without 5xx`, async (t, on) => {
  const seen = await fuzz(t, on, { requests: REQUESTS, connections: 32, share: 1, lastMs: 5_000 })
  const kinds = [...seen].sort(([one], [other]) => one.localeCompare(other))
  assert.ok(!kinds.some(([kind]) => / 5\d\d$/.test(kind)), 'answers with 5xx')
  reportFigure(t, kinds.map(([kind, count]) => `${kind.replace('none ', '')} × ${count}`).join(', '))
})
