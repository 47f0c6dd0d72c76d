import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { assertNothingLost, startCreators } from '../lab/creators.ts'
import { waitFor } from '../lab/parallel.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { newService } from '../lab/service.ts'
import { assertSound, onEach } from '../lab/stores.ts'

const ROUNDS = rounds(20)
/** Longest life of a process once it serves, in milliseconds. */
const LONGEST_LIFE_MS = 300

onEach('kill -9 under 32 creating clients', async (t, { stores, part }) => {
  const random = randomOf(part)
  const service = await newService(t, { settings: stores })
  const creators = startCreators(t, service)
  const starts: number[] = []
  let fresh = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = creators.ledger.size
    const begun = performance.now()
    const { serving } = service.launch()
    // Half of them have answered something, which could then be lost; one in four still starts.
    const answers = round % 2 === 0
    if (answers || random.often(0.5)) {
      await serving
      starts.push(performance.now() - begun)
    }
    if (answers) await waitFor(t, () => creators.ledger.size > before)
    await pause(random.whole(0, LONGEST_LIFE_MS))
    await service.end()
    if (creators.ledger.size > before) fresh += 1
  }
  await service.start()
  const ledger = await creators.stop()

  await assertNothingLost(service, ledger)
  await service.end()
  assertSound(stores.DATABASE_URL)
  assert.ok(fresh >= ROUNDS / 2, `only ${fresh} of ${ROUNDS} lives answered anything before their end`)
  const lost = creators.others.get(0) ?? 0
  const counts = `${ROUNDS} kills, ${fresh} of lives that had answered`
  const met = `${ledger.size} creates, ${lost} connections lost: 0 lost, 0 twice`
  reached(t, `${counts}, ${met}; ready after ${medianAndWorst(starts)}`)
})

/** For the figure alone: on a machine that does other things, under clients that knock without a pause. */
function medianAndWorst(starts: number[]): string {
  const sorted = starts.map(Math.round).toSorted((one, other) => one - other)
  return `${sorted[Math.floor(sorted.length / 2)]} ms, ${sorted.at(-1)} at worst`
}
