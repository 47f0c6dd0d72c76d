import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { startProxy } from '../../src/testing/proxy.ts'
import { makeKey, UNLIMITED } from '../../src/testing/start-app.ts'
import { assertNothingLost, startCreators } from '../lab/creators.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { startService } from '../lab/service.ts'

const ROUNDS = rounds(10_000)
const CLIENTS = 16
/** Longest time without a commit. */
const STANDSTILL_MS = 20_000

test('connection cut before the reply to a commit: the retry gets the same animal, and there is only one', async (t) => {
  const random = randomOf()
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  const key = await makeKey(direct.href, UNLIMITED)
  const { address } = await startService(t, { settings: { DATABASE_URL: proxied.href }, key: false })

  let [cuts, cutAt] = [0, performance.now()]
  // The connection may break during retries too.
  proxy.onSend = (bytes) => {
    const cut = cuts < ROUNDS && bytes.includes('commit') && random.chance(0.6)
    if (cut) [cuts, cutAt] = [cuts + 1, performance.now()]
    return cut
  }
  const creators = startCreators(t, { address, key }, { clients: CLIENTS })
  while (cuts < ROUNDS && performance.now() - cutAt < STANDSTILL_MS) await pause(10)
  const ledger = await creators.stop()

  assert.equal(cuts, ROUNDS)
  await assertNothingLost({ address, key }, ledger)
  const unavailable = creators.others.get(503) ?? 0
  reportFigure(
    t,
    `${cuts} commits cut off, ${unavailable} × 503, ${ledger.size} animals, each once under its id`,
  )
})
