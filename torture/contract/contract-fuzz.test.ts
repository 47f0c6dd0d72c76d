import assert from 'node:assert/strict'
import { reached, rounds } from '../lab/rounds.ts'
import { onEach } from '../lab/stores.ts'
import { fuzz, IN_TURN, withoutSuccess } from './fuzz.ts'

const REQUESTS = rounds(20_000)
/** On servers a share of them: where other programs take part, a busy machine may be too slow for one of them. */
const LOADS = [
  { connections: 64, part: 1, busy: 0 },
  { connections: 8, part: 0.1, busy: 0.001 },
]
/** Fewer do not reach every operation. */
const ENOUGH = 10_000

onEach(`every answer to ${REQUESTS} random requests is as openapi.json describes it`, async (t, on) => {
  const { connections, part, busy } = LOADS[on.part] ?? { connections: 1, part: 1, busy: 0 }
  const requests = Math.ceil(REQUESTS * part)
  const everyOperation = requests >= ENOUGH
  const seen = await fuzz(t, on, { requests, connections, share: 0.02, everyOperation })
  const kinds = [...seen.keys()]
  if (everyOperation)
    assert.deepEqual(withoutSuccess(seen), [], 'operations that never answered with success')
  const count = (some: string[]): number => some.reduce((sum, kind) => sum + (seen.get(kind) ?? 0), 0)
  const refused = kinds.filter((kind) => kind.endsWith(' 503') && kind !== IN_TURN)
  const unavailable = count(refused)
  assert.ok(unavailable <= requests * busy, `${unavailable} answers of 503: ${refused}`)
  reached(t, `${count(kinds)} answers of ${kinds.length} kinds, all as described, ${unavailable} of them 5xx`)
})
