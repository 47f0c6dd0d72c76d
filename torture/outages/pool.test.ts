import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { type Question, startLoad } from '../lab/load.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'

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
const PATHS = ['/v1/pets/1', '/v1/pets?limit=7', '/v1/categories', '/v1/inventory']

const TITLE = `${CREATORS + READERS} clients are refused in time, and served again at once`
test(`when ${CONNECTIONS} connections are held, ${TITLE}`, async (t) => {
  const random = randomOf()
  const url = await scratchDatabase(t)
  const load = await startLoad(t, {
    settings: { DATABASE_URL: url, DATABASE_CONNECTIONS: `${CONNECTIONS}` },
    directUrl: url,
    creators: CREATORS,
    creatorsPauseMs: PAUSE_MS,
    clients: READERS,
    pauseMs: PAUSE_MS,
    // The bound is set below, when it is known how slow the machine is.
    answerMs: 30_000,
    next: (): Question => ({ path: random.pick(PATHS) }),
  })
  const { seen } = load.watched
  await pause(2_000)
  load.watched.assertWell()
  const quiet = seen.slowest
  const slack = SLOWER * quiet
  seen.slowest = 0

  for (let round = 0; round < ROUNDS; round += 1) {
    const table = random.pick(TABLES)
    await hold(url, table, random.whole(...HELD_MS))
    await load.back(`round ${round}: ${table} is free, and still not served`, BACK_MS + slack)
  }
  const figures = await load.end()
  assert.ok(seen.refused > 0, 'nobody was refused')
  const slowest = `an answer took ${seen.slowest.toFixed()} ms, before ${quiet.toFixed()}`
  assert.ok(seen.slowest < ANSWER_MS + slack, slowest)
  reached(t, `${ROUNDS} blocks: ${figures} (${quiet.toFixed()} without)`)
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
