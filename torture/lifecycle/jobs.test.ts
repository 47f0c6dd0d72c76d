import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../src/db/tables.ts'
import { until } from '../../src/testing/redis.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { newService } from '../lab/service.ts'
import { SERVERS, SHARED_FILE, type Stores, withStore } from '../lab/stores.ts'

const ROUNDS = rounds(5)
/** A second's work and more, in steps of 5,000. */
const EXPIRED = 300_000
const KEPT = 100
/** By when another process has taken over, and finished. */
const PATIENCE_MS = 60_000
const PAST = 1
const FUTURE = Date.UTC(2100, 0, 1)

const count = async (db: Db, from: string): Promise<number> =>
  Number(
    (await sql<{ rows: unknown }>`select count(*) as rows from ${sql.raw(from)}`.execute(db)).rows[0]?.rows,
  )

/** Results of requests, as many as told; their scopes are numbers from one on. */
async function addResults(db: Db, first: number, amount: number, expiresAt: number): Promise<void> {
  await sql`
    insert into idempotency (scope, fingerprint, result, expires_at)
    with recursive due (number) as
      (select ${sql.lit(first)} union all select number + 1 from due where number < ${sql.lit(first + amount - 1)})
    select ${'0'.repeat(55)} || (100000000 + number), ${'0'.repeat(64)}, null, ${sql.lit(expiresAt)} from due
  `.execute(db)
}

/** @returns milliseconds from the end of the process at work until another one had done the rest */
async function killAtWork(t: TestContext, settings: Stores, db: Db): Promise<number> {
  const expired = () => count(db, `idempotency where expires_at = ${PAST}`)
  const [one, other] = [await newService(t, { settings }), await newService(t, { settings, key: false })]
  await addResults(db, KEPT + 1, EXPIRED, PAST)
  await one.start()
  await until(async () => (await expired()) < EXPIRED)
  await one.end('SIGKILL')
  const killed = performance.now()
  assert.ok((await expired()) > 0, 'it was done before it was killed')

  await other.start()
  while ((await expired()) > 0) {
    assert.ok(performance.now() - killed < PATIENCE_MS, 'nobody took it over within a minute')
    await pause(100)
  }
  const took = performance.now() - killed
  await until(async () => (await count(db, 'job where holder is not null')) === 0)
  await other.end('SIGTERM')
  return took
}

for (const { name, skip, open } of [SHARED_FILE, SERVERS]) {
  test(`a job whose process is killed in the middle is finished by another, on ${name}`, {
    skip,
  }, async (t) => {
    const random = randomOf()
    const settings = await open(t)
    const took: number[] = []
    await withStore(settings.DATABASE_URL, async ({ db }) => {
      await addResults(db, 1, KEPT, FUTURE)
      for (let round = 0; round < ROUNDS; round += 1) {
        await pause(random.whole(0, 50))
        took.push(await killAtWork(t, settings, db))
        assert.equal(await count(db, 'idempotency'), KEPT, 'what is not due is there, and nothing else')
        assert.equal(await count(db, 'job where failures > 0'), 0)
      }
    })
    reached(
      t,
      `${ROUNDS} jobs of ${EXPIRED} rows taken over, after ${Math.round(Math.max(...took))} ms at worst`,
    )
  })
}
