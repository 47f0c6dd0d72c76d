import assert from 'node:assert/strict'
import { fuzz } from '../contract/fuzz.ts'
import { reached, rounds } from '../lab/rounds.ts'
import { onEach } from '../lab/stores.ts'

/** On each store. */
const REQUESTS = rounds(50_000)

onEach(`${REQUESTS} requests with changed bytes are answered in HTTP, without 5xx`, async (t, on) => {
  const seen = await fuzz(t, on, { requests: REQUESTS, connections: 32, share: 1, lastMs: 5_000 })
  const kinds = [...seen].sort(([one], [other]) => one.localeCompare(other))
  assert.ok(!kinds.some(([kind]) => / 5\d\d$/.test(kind)), 'an answer of 5xx')
  reached(t, kinds.map(([kind, count]) => `${kind.replace('none ', '')} × ${count}`).join(', '))
})
