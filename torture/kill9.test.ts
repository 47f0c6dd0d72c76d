import { type TestContext, test } from 'node:test'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { randomOf, reached, rounds } from './given.ts'
import { STORES } from './stores.ts'

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
    for (let round = 0; round < ROUNDS; round += 1) {
      const { child, serving, exited } = spawnCli(t, ['serve'], settings)
      // One in four dies while it still starts.
      if (random.often(0.75)) await serving
      await new Promise((resolve) => setTimeout(resolve, random.whole(0, LONGEST_LIFE_MS)))
      child.kill('SIGKILL')
      await exited
    }
    await spawnCli(t, ['serve'], settings).serving
    const ledger = await creators.stop()

    assertNothingLost(await audit(address, key, ledger))
    const lost = creators.others.get(0) ?? 0
    reached(t, `${ROUNDS} kills, ${ledger.size} creates, ${lost} connections lost: 0 lost, 0 twice`)
  })
}
