import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../src/testing/port.ts'
import { scratchDatabase } from '../src/testing/postgres.ts'
import { spawnCli } from '../src/testing/process.ts'
import { startProxy } from '../src/testing/proxy.ts'
import { makeKey, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { randomOf, reached, rounds } from './given.ts'

const ROUNDS = rounds(10_000)
const CLIENTS = 16
/** Without a commit for so long, something is wrong. */
const STANDSTILL_MS = 20_000

test('when the reply to a commit is cut off, the retry gets the same animal, and there is one', async (t: TestContext) => {
  const random = randomOf()
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const behind = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  const settings = { DATABASE_URL: behind.href, PORT: String(await freePort()), LOG_LEVEL: 'silent' }
  const key = await makeKey(direct.href, UNLIMITED)
  const address = await spawnCli(t, ['serve'], settings).serving

  let [cuts, cutAt] = [0, performance.now()]
  // A retry may be cut off too, and the next as well.
  proxy.onSend = (bytes) => {
    const cut = cuts < ROUNDS && bytes.includes('commit') && random.often(0.6)
    if (cut) [cuts, cutAt] = [cuts + 1, performance.now()]
    return cut
  }
  const creators = startCreators({ address: () => address, signal: t.signal, key, clients: CLIENTS })
  while (cuts < ROUNDS && performance.now() - cutAt < STANDSTILL_MS) await pause(10)
  const ledger = await creators.stop()

  assert.equal(cuts, ROUNDS)
  assertNothingLost(await audit(address, key, ledger))
  const unavailable = creators.others.get(503) ?? 0
  reached(t, `${cuts} commits cut off, ${unavailable} × 503, ${ledger.size} animals, each once under its id`)
})
