import assert from 'node:assert/strict'
import { reportFigure, rounds } from '../lab/rounds.ts'
import { testOnEachStore } from '../lab/stores.ts'
import { findFailingOperations, fuzz } from './fuzz.ts'

const REQUESTS = rounds(20_000)
/** The load of each store. PostgreSQL gets less, and may answer a few requests with 503 on a busy machine. */
const LOADS = [
  { connections: 64, share: 1, maxUnavailable: 0 },
  { connections: 8, share: 0.1, maxUnavailable: 0.001 },
]
/** Minimum number of requests. Fewer do not reach every operation. */
const ENOUGH = 10_000

testOnEachStore(`${REQUESTS} random requests: every answer matches openapi.json`, async (t, context) => {
  const { connections, share, maxUnavailable } = LOADS[context.part] ?? {
    connections: 1,
    share: 1,
    maxUnavailable: 0,
  }
  const requests = Math.ceil(REQUESTS * share)
  const everyOperation = requests >= ENOUGH
  const countsByKind = await fuzz(t, context, { requests, connections, share: 0.02, everyOperation })
  const kinds = [...countsByKind.keys()]
  if (everyOperation)
    assert.deepEqual(findFailingOperations(countsByKind), [], 'operations that never succeeded')
  const count = (some: string[]): number => some.reduce((sum, kind) => sum + (countsByKind.get(kind) ?? 0), 0)
  const refused = kinds.filter((kind) => kind.endsWith(' 503'))
  const unavailable = count(refused)
  assert.ok(unavailable <= requests * maxUnavailable, `${unavailable} answers with 503: ${refused}`)
  reportFigure(
    t,
    `${count(kinds)} answers of ${kinds.length} kinds, all as described, ${unavailable} of them 5xx`,
  )
})
