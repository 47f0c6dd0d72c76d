import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectClient, nextTurn, terminateHolder, usedOfDay } from '../testing/claims.ts'
import { assertError } from '../testing/client.ts'
import { runOnServer, scratchDatabase } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { startApp } from '../testing/start-app.ts'
import { CLAIM_LOCK } from './claim.ts'

// PostgreSQL without Redis: one process counts requests. Tests how it acts after it loses its claim.

test('a process that has lost its claim: 503 and not ready; after regaining it, continues to count', async (t) => {
  const databaseUrl = await scratchDatabase(t)
  const app = await startApp(t, { databaseUrl, key: { plan: 'free' } })
  const ready = () => app.get('/readyz', { authorization: undefined })
  assert.equal((await app.get('/v1/pets')).headers['x-ratelimit-remaining'], '59')
  const thief = await connectClient(t, databaseUrl)
  const steal = `select pg_try_advisory_lock(${CLAIM_LOCK}) as held`
  // The service may regain its claim before this client asks for it.
  do await terminateHolder(thief)
  while (!(await thief.query(steal)).rows[0].held)
  while ((await ready()).status === 200) await nextTurn()

  for (const path of ['/v1/pets', '/v1/inventory', '/v1/none']) {
    const answer = await app.get(path)
    assertError(answer, 503, 'service_unavailable', path)
    assert.equal(answer.headers['x-ratelimit-limit'], '60')
  }
  assert.equal((await app.get('/livez', { authorization: undefined })).status, 200)
  await thief.query(`select pg_advisory_unlock(${CLAIM_LOCK})`)
  while ((await ready()).status !== 200) await nextTurn()
  assert.equal((await app.get('/v1/pets')).headers['x-ratelimit-remaining'], '58', '503 costs nothing')
  // Either the watch connection or a background job notices the loss first and logs it.
  const loss =
    /"level":40.*"reason":"[^"]+".*(the database cannot be reached|because the store is unavailable)/
  const lines = app.log.filter((line) => loss.test(line) || line.includes('the database is available again'))
  assert.ok(lines.length > 0 && lines.length % 2 === 0, lines.join(''))
  for (const [index, line] of lines.entries()) assert.match(line, index % 2 ? /"level":30/ : loss)
  assert.doesNotMatch(app.log.join(), /"stack"/)
})

test('a process whose claim was taken: 503 once its lease is used up; its shutdown writes no counters', async (t) => {
  const databaseUrl = await scratchDatabase(t)
  const app = await startApp(t, { databaseUrl, key: { plan: 'free' } })
  const client = await connectClient(t, databaseUrl)
  await app.get('/v1/pets')
  const lease = await usedOfDay(client)
  await client.query(`update claim set token = 'of another one'`)
  await client.query('update counter set day_used = 500')

  let served = 1
  while ((await app.get('/v1/pets')).status === 200) served += 1
  assert.ok(served <= lease, `served ${served}, but the next process counts only ${lease} as used`)
  await app.service.context.limiter.sweep().catch(() => undefined)
  await app.stop()
  assert.equal(await usedOfDay(client), 500)
})

test('a process that takes over: waits while the previous one writes counters', async (t) => {
  const databaseUrl = await scratchDatabase(t)
  const first = await startApp(t, { databaseUrl, key: { plan: 'free' } })
  await first.get('/v1/pets')
  await first.stop()
  const writer = await connectClient(t, databaseUrl)
  await writer.query('begin')
  await writer.query('select token from claim for share')
  await writer.query('update counter set day_used = 77')
  const second = startApp(t, { databaseUrl, key: { plan: 'free' } })
  const waits = `select extract(epoch from query_start) as at from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into claim%'`
  const client = await connectClient(t, databaseUrl)
  // Two statements, because the wait exceeds the time limit of a single statement.
  const waited = new Set<number>()
  while (waited.size < 2) {
    const { rows } = await client.query(waits)
    for (const { at } of rows) waited.add(at)
  }
  await writer.query('commit')

  const { service } = await second
  const { db } = service.context
  assert.equal((await db.selectFrom('counter').select('day_used').executeTakeFirst())?.day_used, 77)
})

test('serve without Redis on a read-only database: exits with a one-line message', async (t) => {
  const databaseUrl = await scratchDatabase(t)
  const { pathname } = new URL(databaseUrl)
  await runOnServer(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`)
  const { code, stderr } = await runCli(t, ['serve'], { DATABASE_URL: databaseUrl, PORT: '0' })

  assert.equal(code, 1)
  assert.equal(
    stderr,
    'adoptable: PostgreSQL: the database is read-only; make it writable, then start again\n',
  )
})
