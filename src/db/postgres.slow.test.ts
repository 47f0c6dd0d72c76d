import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { changes } from '../changes.ts'
import { jobs } from '../jobs.ts'
import { findByHash } from '../keys/identify.ts'
import { insertKey } from '../keys/store.ts'
import { createProxiedDatabase, startBehindProxy } from '../testing/behind-proxy.ts'
import { freePort } from '../testing/port.ts'
import { runOnServer, scratchDatabase, terminateAll, urlOf } from '../testing/postgres.ts'
import { runCli, spawnCli } from '../testing/process.ts'
import { startProxy } from '../testing/proxy.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import { runOnce } from './once.ts'
import { openForCommand } from './open-database.ts'
import { LISTEN_TO_KEYS, openPostgres } from './postgres.ts'

// Behavior on PostgreSQL only: migrations by several processes, the claim without Redis, connections.

const REX = { name: 'Rex', categoryId: 1, status: 'available' }

const turn = () => new Promise(setImmediate)
const add = (app: TestApp, headers = {}) => app.post('/v1/pets', REX, headers)

test('ten concurrent starts on an empty database run one migration and create one first key', async (t) => {
  const name = `adoptable_test_${process.pid}_empty`
  await runOnServer(`create database ${name}`)
  t.after(() => runOnServer(`drop database ${name} with (force)`))
  const starts = Array.from({ length: 10 }, async (_, index) => {
    const store = await openForCommand(urlOf(name), changes)
    const key = { name: 'first', plan: 'free', access: 'admin' } as const
    const first = await store.write(changes.insertFirstKey, key, `${index}`.repeat(64), 1)
    await store.close()
    return first
  })

  assert.equal((await Promise.all(starts)).filter(Boolean).length, 1)
  const store = await openForCommand(urlOf(name))
  assert.equal((await store.db.selectFrom('category').select('id').execute()).length, 8)
  await store.close()
})

test('a second service on a database without Redis is refused, and the message names REDIS_URL', async (t) => {
  const { databaseUrl } = await startApp(t, { databaseUrl: await scratchDatabase(t) })

  await assert.rejects(startApp(t, { databaseUrl }), /another adoptable already serves.*REDIS_URL/)
})

test('serve with a database that does not exist: exits with a one-line message', async (t) => {
  const none = Object.assign(new URL(await scratchDatabase(t)), { pathname: 'adoptable_none' })
  const { code, stderr } = await runCli(t, ['serve'], { DATABASE_URL: none.href, PORT: '0' })
  assert.deepEqual([code, stderr], [1, 'adoptable: PostgreSQL: database "adoptable_none" does not exist\n'])
})

test('a connection of the pool that breaks during the start: the start retries', async (t) => {
  const { proxy, proxied } = await createProxiedDatabase(t)
  const lines = new Set<unknown>()
  proxy.onSend = (bytes, line) => {
    // The watch connection listens first, then each connection of the pool.
    const listens = bytes.includes(LISTEN_TO_KEYS)
    if (listens) lines.add(line)
    return listens && lines.size === 3
  }
  const app = await startApp(t, { databaseUrl: proxied, key: UNLIMITED })
  assert.ok(lines.size > 3)
  assert.match(app.log.join(), /the start waits for it/)
  assert.equal((await add(app)).status, 201)
})

test('a start creates the first key before any job uses a connection', async (t) => {
  const { proxy, proxied } = await createProxiedDatabase(t)
  const sent: string[] = []
  proxy.onSend = (bytes) => {
    sent.push(bytes.toString('latin1'))
    return false
  }
  await startApp(t, { databaseUrl: proxied, jobs })
  const first = (words: string): number => sent.findIndex((bytes) => bytes.includes(words))
  while (first('from "job"') < 0) await new Promise(setImmediate)
  const key = first('select "id" from "api_key" where "access" =')
  assert.ok(key >= 0 && key < first('from "job"'), `${key}`)
})

test('pool connections have an idle_session_timeout, so PostgreSQL ends abandoned connections', async (t) => {
  const { db, close } = await openForCommand(await scratchDatabase(t))
  t.after(close)
  const { rows } = await sql`show idle_session_timeout`.execute(db)

  assert.deepEqual(rows, [{ idle_session_timeout: '30s' }])
})

test('a database with another encoding than UTF8 is refused with a one-line message', async (t) => {
  const name = `adoptable_ascii_${process.pid}`
  await runOnServer(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`)
  t.after(() => runOnServer(`drop database ${name} with (force)`))
  const { code, stderr } = await runCli(t, ['serve'], { DATABASE_URL: urlOf(name), PORT: '0' })

  assert.equal(code, 1)
  assert.match(stderr, /PostgreSQL: the database has the encoding SQL_ASCII; create it with encoding UTF8/)
})

test('a repeated query is prepared once per connection', async (t) => {
  const store = await openForCommand(await scratchDatabase(t))
  t.after(store.close)
  const statements = await store.db.transaction().execute(async (db) => {
    await findByHash(db, 'a')
    await findByHash(db, 'b')
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
      db,
    )
    return rows.map((row) => row.statement)
  })

  assert.equal(statements.length, 1)
  assert.match(String(statements[0]), /from "api_key_secret"/)
})

test('a change of a key: the notification arrives before the confirmation of the commit', async (t) => {
  const url = await scratchDatabase(t)
  await (await openForCommand(url)).close()
  const key = { name: 'b', plan: 'free', access: 'read' } as const
  let notifications = 0
  const db = openPostgres(url, { connections: 2, onKeysChanged: () => (notifications += 1) })
  t.after(() => db.destroy())
  for (let round = 1; round <= 20; round += 1) {
    const before = notifications
    await db.transaction().execute((inside) => insertKey(inside, key, String(round).padStart(64, '0'), 0))
    assert.ok(notifications > before, `round ${round}`)
  }
})

/** Opens a separate connection for transactions that stay open. */
async function connectClient(direct: string): Promise<pg.Client> {
  const other = new pg.Client(direct)
  // If the test fails, the connection is ended together with its database.
  other.on('error', () => undefined)
  await other.connect()
  return other
}

const NEXT = /<http:\/\/pets\.example([^>]*)>; rel="next"/

/** @returns the ids on a page, and the address of the next page */
async function pageAt(app: TestApp, path: string): Promise<{ ids: number[]; next: string | undefined }> {
  const { body, headers } = await app.get(path)
  return { ids: body.map(({ id }: { id: number }) => id), next: NEXT.exec(String(headers.link))?.[1] }
}

test('GET /v1/pets?sort=id while transactions with lower ids are open: pages wait for them and miss no animal', async (t) => {
  const { app, direct } = await startBehindProxy(t)
  const other = await connectClient(direct)
  await other.query('begin')
  await other.query(`insert into pet (name, category_id) values ('Slow', 2)`)
  assert.deepEqual(
    await pageAt(app, '/v1/pets?sort=id'),
    { ids: [], next: undefined },
    'no animal is cut off yet',
  )
  assert.equal((await add(app)).body.id, 2)

  const first = await pageAt(app, '/v1/pets?sort=id')
  assert.deepEqual(first.ids, [])
  const same = await pageAt(app, String(first.next))
  assert.deepEqual(same, first)
  assert.deepEqual(
    (await pageAt(app, '/v1/pets?sort=id&id=2')).ids,
    [2],
    'an animal requested by id is not cut off',
  )
  assert.deepEqual((await pageAt(app, '/v1/pets')).ids, [2])
  await other.query('commit')
  await other.query('begin')
  await other.query(`insert into pet (name, category_id) values ('Never', 2)`)
  assert.equal((await add(app)).body.id, 4)
  const second = await pageAt(app, String(same.next))
  assert.deepEqual(second.ids, [1, 2])
  assert.deepEqual(await pageAt(app, String(second.next)), { ids: [], next: second.next })
  await other.query('rollback')
  assert.deepEqual(await pageAt(app, String(second.next)), { ids: [4], next: undefined })
  await other.end()
})

test('a page cut off by a transaction that is rolled back becomes complete immediately, without any commit', async (t) => {
  const { app, direct } = await startBehindProxy(t)
  const other = await connectClient(direct)
  await other.query('begin')
  // Like an insert with an unknown category, this statement runs the trigger but inserts no row.
  await other.query(`insert into pet (name, category_id) select 'None', 2 where false`)
  await add(app)
  const { etag } = (await app.get('/v1/pets?sort=id')).headers
  assert.deepEqual((await pageAt(app, '/v1/pets?sort=id')).ids, [])
  await other.query('rollback')

  const complete = await app.get('/v1/pets?sort=id', { 'if-none-match': String(etag) })
  assert.equal(complete.status, 200)
  assert.deepEqual(await pageAt(app, '/v1/pets?sort=id'), { ids: [1], next: undefined })
  await other.end()
})

test('an expired result renewed while the sweep waits for its row is not removed, and a retry gets it', async (t) => {
  const url = await scratchDatabase(t)
  const { db, write, close } = await openForCommand(url, changes)
  t.after(close)
  const other = await connectClient(url)
  t.after(() => other.end())
  const DAY_MS = 86_400_000
  const once = { scope: hash('sha256', 'of one request'), fingerprint: hash('sha256', 'of its body') }
  const run = (now: number, change: () => Promise<string>) =>
    db.transaction().execute((inside) => runOnce(inside, { ...once, now }, change))
  await run(0, async () => 'first')

  let swept: Promise<boolean> | undefined
  const renewed = await run(DAY_MS, async () => {
    swept = write(changes.removeExpired, { table: 'idempotency', key: 'scope', time: 'expires_at' }, DAY_MS)
    const waits = `select from pg_locks where not granted and locktype = 'transactionid'`
    while ((await other.query(waits)).rowCount === 0 && !(await isOver(swept)));
    return 'second'
  })
  assert.equal(await swept, false)

  assert.deepEqual(renewed, { result: 'second', replayed: false })
  const again = await run(DAY_MS + 1, async () => 'third')
  assert.deepEqual(again, { result: 'second', replayed: true })
  assert.equal((await db.selectFrom('idempotency').select('scope').execute()).length, 1)
})

const isOver = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), turn().then(() => false)])

test('the same Idempotency-Key while the first request runs: 409 immediately; after that request: its result', async (t) => {
  const { db, close } = await openForCommand(await scratchDatabase(t))
  t.after(close)
  const once = { scope: hash('sha256', 'of one request'), fingerprint: hash('sha256', 'of its body'), now: 0 }
  const run = (change: () => Promise<string>) =>
    db.transaction().execute((inside) => runOnce(inside, once, change))

  const first = await run(async () => {
    await assert.rejects(
      run(async () => 'second'),
      { code: 'idempotency_key_in_use' },
    )
    // Negative keys are reserved for animals that are being added.
    const locks = sql<{
      high: number
    }>`select classid::bigint as high from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
    for (const { high } of (await locks.execute(db)).rows) assert.ok(high < 2 ** 31, String(high))
    return 'first'
  })

  assert.deepEqual(first, { result: 'first', replayed: false })
  assert.deepEqual(await run(async () => 'third'), { result: 'first', replayed: true })
})

test('animals bonded from both sides, ordered and removed at the same time: each request gets an answer', async (t) => {
  const app = await startApp(t, {
    databaseUrl: await scratchDatabase(t),
    key: { ...UNLIMITED, access: 'admin' },
  })
  const adopter = { name: 'A. Adopter', email: 'adopter@example.org' }
  const ids: number[] = []
  for (let count = 0; count < 8; count += 1) ids.push((await add(app)).body.id)
  // Opens the connections.
  await Promise.all(ids.map((id) => app.patch(`/v1/pets/${id}`, { name: 'Max' })))
  const statuses: number[] = []
  for (const round of ['bond', 'order', 'remove'] as const) {
    const requests = ids.map((id, index) => {
      const partner = ids[index % 2 === 0 ? index + 1 : index - 1] as number
      if (round === 'bond') return app.patch(`/v1/pets/${id}`, { bondedWith: [partner] })
      if (round === 'remove' && index % 2 === 0) return app.delete(`/v1/pets/${id}`)
      // Half of the bonds are dissolved, and the other half of the pairs are ordered.
      return index % 4 < 2
        ? app.patch(`/v1/pets/${id}`, { bondedWith: null })
        : app.post('/v1/store/orders', { petId: id, alsoPetIds: [partner], adopter })
    })
    statuses.push(...(await Promise.all(requests)).map(({ status }) => status))
  }

  assert.deepEqual(
    statuses.filter((status) => status >= 500),
    [],
  )
})

/** The process id of the session that holds the claim on a database. */
async function holderOf({ href, pathname }: URL): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: href })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and datname = $1`,
    [pathname.slice(1)],
  )
  await client.end()
  return rows[0]?.pid
}

test('serve starts before its database is reachable: waits for the database', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  proxy.cut()
  const waiting = spawnCli(t, ['serve'], { DATABASE_URL: proxied.href, PORT: '0' })
  const more = () => once(waiting.child.stderr as Readable, 'data')
  while (!waiting.output.stderr.includes('the start waits for it')) await more()
  assert.equal(waiting.output.stdout, '')
  proxy.restore()
  await waiting.serving
})

test('SIGTERM while a start waits for its database: the process ends immediately', async (t) => {
  const nowhere = `postgres://postgres@127.0.0.1:${await freePort()}/test`
  const { child, output, exited } = spawnCli(t, ['serve'], { DATABASE_URL: nowhere, PORT: '0' })
  const more = () => once(child.stderr as Readable, 'data')
  while (!output.stderr.includes('the start waits for it')) await more()
  const since = performance.now()
  child.kill('SIGTERM')

  assert.equal((await exited).code, 0)
  assert.ok(performance.now() - since < 3_000, 'the start went on waiting')
})

test('a process whose database another process has taken over: exits and says why', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  const { serving, exited } = spawnCli(t, ['serve'], { DATABASE_URL: proxied.href, PORT: '0' })
  await serving
  proxy.cut()
  await terminateAll(direct.pathname.slice(1))
  await startApp(t, { databaseUrl: direct.href })
  proxy.restore()

  const { code, stderr } = await exited
  assert.notEqual(code, 0)
  assert.match(stderr, /another adoptable already serves this database/)
})

test('connections dropped silently by the network: the process reconnects; when it is killed, another process can start', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  const settings = { DATABASE_URL: proxied.href, PORT: '0' }
  const { child, output, serving } = spawnCli(t, ['serve'], settings)
  await serving
  const before = await holderOf(direct)
  assert.ok(before)
  proxy.forget()
  let now: number | undefined = before
  while (now === before || now === undefined) {
    assert.equal(child.exitCode, null, output.stderr)
    now = await holderOf(direct)
  }

  // PostgreSQL does not notice the kill either, because the network drops it.
  proxy.forget()
  child.kill('SIGKILL')
  await spawnCli(t, ['serve'], settings).serving
})
