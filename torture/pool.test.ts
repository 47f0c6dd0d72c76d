import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../src/testing/port.ts'
import { scratchDatabase } from '../src/testing/postgres.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { randomOf, reached, rounds } from './given.ts'
import { type Question, watchAnswers } from './own-postgres-watch.ts'

const ROUNDS = rounds(30)
const CONNECTIONS = 4
const CREATORS = 50
const READERS = 450
/** All at once would only show how fast this machine is. */
const PAUSE_MS = 500
/** How long a table is held, in milliseconds. */
const HELD_MS = [700, 3_000] as const
/** On a machine with nothing else to do; another one may take SLOWER times its slowest answer without blockers more. */
const ANSWER_MS = 1_000
const BACK_MS = 1_000
const SLOWER = 3
const TABLES = ['pet', 'api_key', 'category', 'idempotency']
const QUESTIONS: Question[] = [
  { path: '/v1/pets/1' },
  { path: '/v1/pets?limit=7' },
  { path: '/v1/categories' },
  { path: '/v1/inventory' },
]

test(`when ${CONNECTIONS} connections are held, ${CREATORS + READERS} clients are refused in time, and served again at once`, async (t: TestContext) => {
  const random = randomOf()
  const url = await scratchDatabase(t)
  const key = await makeKey(url, UNLIMITED)
  const settings = { DATABASE_URL: url, DATABASE_CONNECTIONS: `${CONNECTIONS}`, LOG_LEVEL: 'silent' }
  const { child, serving } = spawnCli(t, ['serve'], { ...settings, PORT: String(await freePort()) })
  const address = await serving
  const creators = startCreators({
    address: () => address,
    signal: t.signal,
    key,
    clients: CREATORS,
    pauseMs: PAUSE_MS,
  })
  while (creators.ledger.size === 0) await pause(10, undefined, { signal: t.signal })
  const next = (): Question => random.pick(QUESTIONS)
  // The bound is set below, when it is known how slow the machine is.
  const watched = watchAnswers({ address, key, answerMs: 30_000, clients: READERS, pauseMs: PAUSE_MS, next })
  await pause(2_000)
  watched.assertWell()
  const quiet = watched.seen.slowest
  const slack = SLOWER * quiet
  watched.seen.slowest = 0

  let slowestBack = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const table = random.pick(TABLES)
    await hold(url, table, random.whole(...HELD_MS))
    const [since, created, served] = [performance.now(), creators.ledger.size, watched.seen.served]
    while (creators.ledger.size === created || watched.seen.served === served) {
      watched.assertWell()
      const back = performance.now() - since
      assert.ok(back < BACK_MS + slack, `round ${round}: ${table} is free, and still not served`)
      await pause(1)
    }
    slowestBack = Math.max(slowestBack, performance.now() - since)
    assert.equal(child.exitCode, null)
  }
  const { refused, slowest } = await watched.stop()
  const ledger = await creators.stop()

  assertNothingLost(await audit(address, key, ledger))
  assert.ok(refused > 0, 'nobody was refused')
  assert.ok(slowest < ANSWER_MS + slack, `an answer took ${slowest.toFixed()} ms, before ${quiet.toFixed()}`)
  const times = `slowest answer ${slowest.toFixed()} ms (${quiet.toFixed()} without), back after ${slowestBack.toFixed()}`
  reached(t, `${ROUNDS} blocks, ${refused} × 503, ${ledger.size} creates, none lost; ${times}`)
})

/** Others hold a table, and the service's connections wait for it. */
async function hold(url: string, table: string, heldMs: number): Promise<void> {
  const blocker = new pg.Client({ connectionString: url })
  await blocker.connect()
  try {
    await blocker.query('begin')
    await blocker.query(`lock table ${table} in access exclusive mode`)
    await blocker.query(`select pg_sleep(${heldMs / 1_000})`)
  } finally {
    await blocker.end()
  }
}
