import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { countUnscrubbed } from '../orders/adopters.ts'
import { doJobs, untilScrubbed } from '../testing/jobs.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { until } from '../testing/redis.ts'
import { startApp } from '../testing/start-app.ts'
import { storedBytes } from '../testing/stored-bytes.ts'

/** Starts a service with one adopter whose data is due for erasure. */
async function startWithErasable(t: TestContext) {
  const databaseUrl = await scratchDatabase(t)
  const app = await startApp(t, { databaseUrl, settings: { ADOPTER_DATA_DAYS: '1' } })
  const { body: pet } = await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
  const adopter = { name: 'Toerased', email: 'toerased@example.org', message: 'toerased' }
  const { body: order } = await app.post('/v1/store/orders', { petId: pet.id, adopter })
  const headers = { 'content-type': 'application/json' }
  const body = { status: 'cancelled' }
  await app.request(`/v1/store/orders/${order.id}`, { method: 'PATCH', headers, body })
  app.clock.now += 2 * 86_400_000
  const { context } = app.service
  return { app, db: context.db, tidyUp: () => doJobs(context) }
}

test('a scrub while a transaction reads an earlier state waits, then removes all bytes of the adopter', async (t) => {
  const { app, db, tidyUp } = await startWithErasable(t)
  const reader = new pg.Client({ connectionString: app.databaseUrl })
  await reader.connect()
  await reader.query('begin isolation level repeatable read')
  await reader.query('select from pet')

  await tidyUp()
  assert.equal(await countUnscrubbed(db), 1, 'the reader blocked the scrub')
  app.clock.now += 60_000

  const again = tidyUp()
  const looking = sql`
    select from pg_stat_activity
    where datname = current_database() and query like '%pg_sleep%' and pid <> pg_backend_pid()
  `
  await until(async () => (await looking.execute(db)).rows.length === 1)
  await reader.query('commit')
  await reader.end()
  await again
  // Another test may be opening a session on the server, which also delays the scrub.
  await untilScrubbed(app)
  await app.stop()

  assert.doesNotMatch(await storedBytes(app.databaseUrl), /toerased/i)
})

test('a scrub while a session is being opened waits, because the session keeps old rows', async (t) => {
  const { app, db, tidyUp } = await startWithErasable(t)
  const opening = new pg.Client({ connectionString: app.databaseUrl, options: '-c post_auth_delay=4' })
  const opened = opening.connect()
  // A session that is being opened appears in pg_locks, but not in pg_stat_activity.
  const openingSessions = sql`
    select from pg_locks join pg_database on pg_database.oid = objid
    where locktype = 'object' and datname = current_database()
  `
  await until(async () => (await openingSessions.execute(db)).rows.length > 0)

  await tidyUp()
  assert.equal(await countUnscrubbed(db), 1)

  await opened
  // At any time another test may be opening a session on the server.
  await untilScrubbed(app)
  await opening.end()
  await app.stop()
  assert.doesNotMatch(await storedBytes(app.databaseUrl), /toerased/i)
})
