import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { CLAIM } from '../../src/db/claim.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import type { RunningProcess } from '../../src/testing/process.ts'
import { repeat } from '../lab/parallel.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { newService, startService } from '../lab/service.ts'
import { looker } from './answers.ts'

// PostgreSQL without Redis: one process serves, another one waits for its place and gets it.

/** Two processes start in each. */
const ROUNDS = Math.ceil(rounds(1_000) / 50)
const CLIENTS = 8
const MINUTE_MS = 60_000
/** By then the process that was replaced has ended. */
const ENDED_MS = 30_000
const LONGEST_PAUSE_MS = 1_500

interface Pair {
  one: RunningProcess
  client: pg.Client
  /** Session of the other process, which waits for the claim. */
  waiting: number
  /** Whether the other one serves. */
  served(): boolean
}

/** Takes the claim from a process, on which another one waits, until that serves. */
type Way = (pair: Pair, afterMs: number) => Promise<void>

const WAYS: Record<string, Way> = {
  async 'session is ended'({ client, waiting, served }) {
    while (!served()) {
      // The first process claims again at once, and so is ended again at once: the other one gets its turn.
      const query = `select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and objid = ${CLAIM} and granted and pid <> $1
        and database = (select oid from pg_database where datname = current_database())`
      await client.query(query, [waiting])
      await pause(5)
    }
  },
  async 'process stands still'({ one: { child }, served }, afterMs) {
    child.kill('SIGSTOP')
    while (!served()) await pause(10)
    await pause(afterMs)
    child.kill('SIGCONT')
  },
}

for (const [part, [name, takeClaim]] of Object.entries(WAYS).entries()) {
  test(`when its ${name} and another takes its place, the two serve no more than the limit`, async (t: TestContext) => {
    const random = randomOf(30 + part)
    let [judged, served] = [0, 0]
    for (let round = 0; round < ROUNDS; round += 1) {
      const limit = random.whole(20, 200)
      const before = random.whole(1, limit)
      const outcome = await replace(t, limit, before, (pair) =>
        takeClaim(pair, random.whole(0, LONGEST_PAUSE_MS)),
      )
      assert.ok(outcome.lowest >= 0, `${outcome.lowest}: a counter of a day fell`)
      if (outcome.tookMs > MINUTE_MS) continue
      assert.ok(outcome.served <= limit, `${outcome.served} of ${limit}, ${before} before`)
      judged += 1
      served += outcome.served
    }
    assert.ok(judged > 0, 'every round took longer than its minute')
    reached(t, `${judged} processes replaced, ${served} served: never one over, no counter fell`)
  })
}

type Take = (pair: Pair) => Promise<void>

/** One process after the other on a database of their own, under clients of one key. */
async function replace(t: TestContext, limit: number, before: number, takeClaim: Take) {
  const DATABASE_URL = await scratchDatabase(t)
  const client = new pg.Client({ connectionString: DATABASE_URL })
  client.on('error', () => undefined)
  await client.connect()
  const limits = { perMinute: limit, perDay: limit }
  const one = await startService(t, { settings: { DATABASE_URL }, key: { plan: 'enterprise', limits } })
  const other = await newService(t, { settings: { DATABASE_URL }, key: false })
  const look = looker(t, CLIENTS)
  const addresses = [one.address]
  let [served, used, lowest] = [0, 0, 0]
  const ask = async (place: number): Promise<void> => {
    const address = addresses[place % addresses.length] ?? ''
    const seen = await look(address, one.key, '/v1/pets').catch(() => undefined)
    if (seen?.status === 200) served += 1
  }
  const since = performance.now()
  while (served < before) await ask(0)

  let refused: unknown
  other.launch().serving.then(
    (address) => addresses.push(address),
    (error: unknown) => {
      refused = error
    },
  )
  const asking = `select pid from pg_stat_activity
    where datname = current_database() and query like 'select pg_try_advisory_lock%'`
  let waiting: number | undefined
  while (waiting === undefined) {
    waiting = (await client.query(asking)).rows[0]?.pid
    await pause(5)
  }
  const clients = repeat(CLIENTS, ask, 5)
  const watch = async (): Promise<void> => {
    const { rows } = await client.query('select max(day_used)::integer as used from counter')
    lowest = Math.min(lowest, (rows[0]?.used ?? 0) - used)
    used = rows[0]?.used ?? 0
  }
  const hasBegun = (): boolean => {
    if (refused) throw refused
    return addresses.length > 1
  }
  await takeClaim({ one: one.process, client, waiting, served: hasBegun })
  const until = performance.now() + ENDED_MS
  while (one.alive() && performance.now() < until) await Promise.all([watch(), pause(20)])
  await watch()
  await clients.stop()
  const tookMs = performance.now() - since
  assert.ok(!one.alive(), 'the process that was replaced goes on')
  await other.end()
  await client.end()
  return { served, lowest, tookMs }
}
