import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { assertNothingLost, startCreators } from '../lab/creators.ts'
import { waitFor } from '../lab/parallel.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { newService } from '../lab/service.ts'
import { assertIntact, testOnEachStore } from '../lab/stores.ts'

const ROUNDS = rounds(20)
/** Longest life of a process after its start, in milliseconds. */
const MAX_LIFE_MS = 300

testOnEachStore(
  'kill -9 under 32 creating clients: every animal answered with 201 exists exactly once',
  async (t, { stores, part }) => {
    const random = randomOf(part)
    const service = await newService(t, { settings: stores })
    const creators = startCreators(t, service)
    let answeringLives = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = creators.ledger.size
      const { serving } = service.launch()
      // Half of the processes have answered a create that could be lost; one in four is killed while it
      // starts.
      const answers = round % 2 === 0
      if (answers || random.chance(0.5)) await serving
      if (answers) await waitFor(t, () => creators.ledger.size > before)
      await pause(random.integer(0, MAX_LIFE_MS))
      await service.end()
      if (creators.ledger.size > before) answeringLives += 1
    }
    await service.start()
    const ledger = await creators.stop()

    await assertNothingLost(service, ledger)
    await service.end()
    assertIntact(stores.DATABASE_URL)
    assert.ok(
      answeringLives >= ROUNDS / 2,
      `only ${answeringLives} of ${ROUNDS} processes answered a create before their end`,
    )
    const lost = creators.others.get(0) ?? 0
    const counts = `${ROUNDS} kills, ${answeringLives} after answers`
    const met = `${ledger.size} creates, ${lost} connections lost: 0 lost, 0 twice`
    reportFigure(t, `${counts}, ${met}`)
  },
)
