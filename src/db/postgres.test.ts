import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { changes } from '../changes.ts'
import { findByHash } from '../keys/find-by-hash.ts'
import { insertKey } from '../keys/store.ts'
import { makeProxied, startBehindProxy } from '../testing/behind-proxy.ts'
import { runOnServer, scratchDatabase, urlOf } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import { runOnce } from './once.ts'
import { openForCommand } from './open-database.ts'
import { LISTEN_TO_KEYS, openPostgres } from './postgres.ts'

// What the service promises of PostgreSQL alone: one migration, one process without Redis, and its connections.

const REX = { name: 'Rex', categoryId: 1, status: 'available' }

const turn = () => new Promise(setImmediate)
const add = (app: TestApp, headers = {}) => app.post('/v1/pets', REX, headers)

test('ten processes that start at once on an empty database migrate it once, and make one first key', async (t) => {
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

test('without Redis one process alone serves a database, and the second is told what to set', async (t) => {
  const { databaseUrl } = await startApp(t, { databaseUrl: await scratchDatabase(t) })

  await assert.rejects(startApp(t, { databaseUrl }), /another adoptable already serves.*REDIS_URL/)
})

test('a service whose database will never be ends with one line', async (t) => {
  const none = Object.assign(new URL(await scratchDatabase(t)), { pathname: 'adoptable_none' })
  const { code, stderr } = await runCli(t, ['serve'], { DATABASE_URL: none.href, PORT: '0' })
  assert.deepEqual([code, stderr], [1, 'adoptable: PostgreSQL: database "adoptable_none" does not exist\n'])
})

test('a start asks again for a connection of its pool that breaks', async (t) => {
  const { proxy, behind } = await makeProxied(t)
  const lines = new Set<unknown>()
  proxy.onSend = (bytes, line) => {
    // What watches the database listens on the first such line, and each connection of the pool on one more.
    const listens = bytes.includes(LISTEN_TO_KEYS)
    if (listens) lines.add(line)
    return listens && lines.size === 3
  }
  const app = await startApp(t, { databaseUrl: behind, key: UNLIMITED })
  assert.ok(lines.size > 3)
  assert.match(app.log.join(), /the start waits for it/)
  assert.equal((await add(app)).status, 201)
})

test('a start makes the first key before any job takes a connection', async (t) => {
  const { proxy, behind } = await makeProxied(t)
  const sent: string[] = []
  proxy.onSend = (bytes) => {
    sent.push(bytes.toString('latin1'))
    return false
  }
  await startApp(t, { databaseUrl: behind })
  const first = (words: string): number => sent.findIndex((bytes) => bytes.includes(words))
  while (first('from "job"') < 0) await new Promise(setImmediate)
  const key = first('select "id" from "api_key" where "access" =')
  assert.ok(key >= 0 && key < first('from "job"'), `${key}`)
})

test('the server ends a connection that neither its process nor its pool has closed', async (t) => {
  const { db, close } = await openForCommand(await scratchDatabase(t))
  t.after(close)
  const { rows } = await sql`show idle_session_timeout`.execute(db)

  assert.deepEqual(rows, [{ idle_session_timeout: '30s' }])
})

test('a database in which characters are lacking is refused in one line', async (t) => {
  const name = `adoptable_ascii_${process.pid}`
  await runOnServer(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`)
  t.after(() => runOnServer(`drop database ${name} with (force)`))
  const { code, stderr } = await runCli(t, ['serve'], { DATABASE_URL: urlOf(name), PORT: '0' })

  assert.equal(code, 1)
  assert.match(stderr, /PostgreSQL: the database is in SQL_ASCII, and has to be in UTF8/)
})

test('what is asked again and again is parsed once on each connection', async (t) => {
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

test('who changes a key is told of it before the change is said to be committed', async (t) => {
  const url = await scratchDatabase(t)
  await (await openForCommand(url)).close()
  const key = { name: 'b', plan: 'free', access: 'read' } as const
  let told = 0
  const db = openPostgres(url, { connections: 2, onKeysChanged: () => (told += 1) })
  t.after(() => db.destroy())
  for (let round = 1; round <= 20; round += 1) {
    const before = told
    await db.transaction().execute((inside) => insertKey(inside, key, String(round).padStart(64, '0'), 0))
    assert.ok(told > before, `round ${round}`)
  }
})

/** What is not committed, from beside the service. */
async function besides(direct: string): Promise<pg.Client> {
  const other = new pg.Client(direct)
  // Ended with its database, should the test fail.
  other.on('error', () => undefined)
  await other.connect()
  return other
}

const NEXT = /<http:\/\/pets\.example([^>]*)>; rel="next"/

/** The ids of a page, and where the next one is. */
async function pageAt(app: TestApp, path: string): Promise<{ ids: number[]; next: string | undefined }> {
  const { body, headers } = await app.get(path)
  return { ids: body.map(({ id }: { id: number }) => id), next: NEXT.exec(String(headers.link))?.[1] }
}

test('a walk from the oldest on is led on behind who got an id before, and so meets every animal', async (t) => {
  const { app, direct } = await startBehindProxy(t)
  const other = await besides(direct)
  await other.query('begin')
  await other.query(`insert into pet (name, category_id) values ('Slow', 2)`)
  assert.deepEqual(await pageAt(app, '/v1/pets?sort=id'), { ids: [], next: undefined }, 'nothing lacks yet')
  assert.equal((await add(app)).body.id, 2)

  const first = await pageAt(app, '/v1/pets?sort=id')
  assert.deepEqual(first.ids, [])
  const same = await pageAt(app, String(first.next))
  assert.deepEqual(same, first)
  assert.deepEqual((await pageAt(app, '/v1/pets?sort=id&id=2')).ids, [2], 'who names it is to get it')
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

test('a page that an animal held up which never came is whole at once, although nobody commits', async (t) => {
  const { app, direct } = await startBehindProxy(t)
  const other = await besides(direct)
  await other.query('begin')
  // As with an unknown category: it has come to the trigger, and never writes.
  await other.query(`insert into pet (name, category_id) select 'None', 2 where false`)
  await add(app)
  const { etag } = (await app.get('/v1/pets?sort=id')).headers
  assert.deepEqual((await pageAt(app, '/v1/pets?sort=id')).ids, [])
  await other.query('rollback')

  const whole = await app.get('/v1/pets?sort=id', { 'if-none-match': String(etag) })
  assert.equal(whole.status, 200)
  assert.deepEqual(await pageAt(app, '/v1/pets?sort=id'), { ids: [1], next: undefined })
  await other.end()
})

test('a result that a request renews while the sweep waits for it stays, and the retry gets it', async (t) => {
  const url = await scratchDatabase(t)
  const { db, write, close } = await openForCommand(url, changes)
  t.after(close)
  const other = await besides(url)
  t.after(() => other.end())
  const DAY_MS = 86_400_000
  const once = { scope: hash('sha256', 'of one request'), fingerprint: hash('sha256', 'of its body') }
  const run = (now: number, change: () => Promise<string>) =>
    db.transaction().execute((inside) => runOnce(inside, { ...once, now }, change))
  await run(0, async () => 'first')

  let swept: Promise<boolean> | undefined
  const renewed = await run(DAY_MS, async () => {
    swept = write(changes.removeExpiredResults, DAY_MS)
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

test('what one process still carries out is a 409 in another at once, and its result afterwards', async (t) => {
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
    // Negative ones tell of animals that are being added.
    const held = sql<{
      high: number
    }>`select classid::bigint as high from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
    for (const { high } of (await held.execute(db)).rows) assert.ok(high < 2 ** 31, String(high))
    return 'first'
  })

  assert.deepEqual(first, { result: 'first', replayed: false })
  assert.deepEqual(await run(async () => 'third'), { result: 'first', replayed: true })
})
