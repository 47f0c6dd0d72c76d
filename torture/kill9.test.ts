import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fileOf } from '../src/db/open-sqlite.ts'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { randomOf, reached, rounds } from './given.ts'
import { integrityOf, STORES } from './stores.ts'
import { waitFor } from './syscalls-wait.ts'

const ROUNDS = rounds(20)
/** Longest life of a process once it serves, in milliseconds. */
const LONGEST_LIFE_MS = 300
for (const [part, stores] of STORES.entries()) {
  test(`kill -9 under 32 creating clients, on ${stores.name}`, {
    skip: stores.skip,
  }, async (t: TestContext) => {
    const random = randomOf(part)
    const settings = { ...(await stores.open(t)), PORT: String(await freePort()), LOG_LEVEL: 'silent' }
    const address = `http://127.0.0.1:${settings.PORT}`
    const key = await makeKey(settings.DATABASE_URL, UNLIMITED)
    const creators = startCreators({ address: () => address, key, signal: t.signal })
    const starts: number[] = []
    let fresh = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = creators.ledger.size
      const begun = performance.now()
      const { child, serving, exited } = spawnCli(t, ['serve'], settings)
      // Half of them have answered something, which could then be lost; one in four still starts.
      const answers = round % 2 === 0
      if (answers || random.often(0.5)) {
        await serving
        starts.push(performance.now() - begun)
      }
      if (answers) await waitFor(t, () => creators.ledger.size > before)
      await new Promise((resolve) => setTimeout(resolve, random.whole(0, LONGEST_LIFE_MS)))
      child.kill('SIGKILL')
      await exited
      if (creators.ledger.size > before) fresh += 1
    }
    const last = spawnCli(t, ['serve'], settings)
    await last.serving
    const ledger = await creators.stop()

    assertNothingLost(await audit(address, key, ledger))
    last.child.kill('SIGKILL')
    await last.exited
    assertSound(settings.DATABASE_URL)
    assert.ok(fresh >= ROUNDS / 2, `only ${fresh} of ${ROUNDS} lives answered anything before their end`)
    const lost = creators.others.get(0) ?? 0
    const counts = `${ROUNDS} kills, ${fresh} of lives that had answered`
    const met = `${ledger.size} creates, ${lost} connections lost: 0 lost, 0 twice`
    reached(t, `${counts}, ${met}; ready after ${medianAndWorst(starts)}`)
  })
}

function assertSound(databaseUrl: string): void {
  if (databaseUrl.startsWith('sqlite:')) assert.equal(integrityOf(fileOf(databaseUrl)), 'ok')
}

/** For the figure alone: on a machine that does other things, under clients that knock without a pause. */
function medianAndWorst(starts: number[]): string {
  const sorted = starts.map(Math.round).toSorted((one, other) => one - other)
  return `${sorted[Math.floor(sorted.length / 2)]} ms, ${sorted.at(-1)} at worst`
}
