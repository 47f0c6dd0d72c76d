import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { changes } from '../../src/db/change.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { startProxy } from '../../src/testing/proxy.ts'
import { makeKey, UNLIMITED } from '../../src/testing/start-app.ts'
import { assertNothingLost, startCreators } from '../lab/creators.ts'
import { times } from '../lab/parallel.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { startService } from '../lab/service.ts'
import { withStore } from '../lab/stores.ts'

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

/** Requests in each round whose stored results have expired. */
const RENEWED = 32
const PAST = 1

test('a stored result renewed while the sweep removes expired ones: the retry gets it', async (t) => {
  const DATABASE_URL = await scratchDatabase(t)
  const service = await startService(t, { settings: { DATABASE_URL } })
  const create = (name: number) =>
    service.ask('/v1/pets', {
      headers: { 'idempotency-key': `${name}` },
      body: { name: `${name}`, categoryId: 1 },
    })
  const all = () => Promise.all(times(RENEWED, create))
  await all()

  const roundCount = Math.max(10, Math.ceil(ROUNDS / 50))
  await withStore(DATABASE_URL, async ({ db, write }) => {
    for (let round = 0; round < roundCount; round += 1) {
      await db.updateTable('idempotency').set({ expires_at: PAST }).execute()
      let isOver = false
      const renewing = all().finally(() => {
        isOver = true
      })
      const sweep = async (): Promise<void> => {
        while (!isOver) await write(changes.removeExpiredResults, PAST)
      }
      const [answers] = await Promise.all([renewing, sweep(), sweep()])
      for (const [name, { status }] of answers.entries()) {
        if (status !== 201) continue
        const { headers } = await create(name)
        assert.equal(headers['idempotent-replayed'], 'true', `${name} was created twice in round ${round}`)
      }
    }
  })
  reportFigure(t, `${roundCount * RENEWED} results renewed during the sweep, each found by its retry`)
})
