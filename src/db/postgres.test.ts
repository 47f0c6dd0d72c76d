import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { changes } from '../changes.ts'
import { findByHash } from '../keys/find-by-hash.ts'
import { insertKey } from '../keys/store.ts'
import { type Answer, assertError } from '../testing/client.ts'
import { runOnServer, scratchDatabase, urlOf } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { startProxy } from '../testing/proxy.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import { runOnce } from './once.ts'
import { openForCommand } from './open-database.ts'
import { LISTEN_TO_KEYS, openPostgres } from './postgres.ts'
import { watchPostgres } from './watch-postgres.ts'

// What the service promises of PostgreSQL alone: one migration, one process without Redis, and what happens
// when it is lost, silent, read-only or restarted.

const REX = { name: 'Rex', categoryId: 1, status: 'available' }
const ANSWER_MS = 2_000
const RECOVERY_MS = 2_000

/** A database, and a line to it that can be cut. */
async function makeProxied(t: Parameters<typeof startApp>[0]) {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const behind = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  return { proxy, direct: direct.href, behind: behind.href }
}

/** The service behind such a line. */
async function startBehindProxy(t: Parameters<typeof startApp>[0], settings: Record<string, string> = {}) {
  const { proxy, direct, behind } = await makeProxied(t)
  const app = await startApp(t, { databaseUrl: behind, key: UNLIMITED, settings })
  return { app, proxy, direct }
}

/** Answered in time, as a 503 with all that goes with it. */
async function assertUnavailable(ask: () => Promise<Answer>, about: string): Promise<void> {
  const since = performance.now()
  const answer = await ask()
  assert.ok(performance.now() - since < ANSWER_MS, `${about} took ${performance.now() - since} ms`)
  assertError(answer, 503, 'service_unavailable', about)
  assert.equal(answer.headers['retry-after'], '1')
}

/** Asks again until the answer is good, for as long as the service may take to be back. */
async function assertBack(ask: () => Promise<Answer>, good: number): Promise<Answer> {
  const since = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer.status === good) return answer
    assert.ok(performance.now() - since < RECOVERY_MS, `still ${answer.status} ${answer.text}`)
  }
}

const turn = () => new Promise(setImmediate)
const add = (app: TestApp, headers = {}) => app.post('/v1/pets', REX, headers)
const ready = (app: TestApp) => app.get('/readyz', { authorization: undefined })

test('ten processes that start at once on an empty database migrate it once, and make one first key', async (t) => {
  const name = `adoptable_test_${process.pid}_empty`
  await runOnServer(`create database ${name}`)
  t.after(() => runOnServer(`drop database ${name} with (force)`))
  const starts = Array.from({ length: 10 }, async (_, index) => {
    const store = await openForCommand(urlOf(name), changes)
    const key = { name: 'first', plan: 'free', access: 'admin' } as const
    const first = await store.write('insertFirstKey', key, `${index}`.repeat(64), 1)
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

for (const fate of ['arrives', 'is lost with its line', 'is not given']) {
  test(`a key revoked beside the service is refused within a second, when the notice of it ${fate}`, async (t) => {
    const { app, proxy, direct } = await startBehindProxy(t)
    const { db, write, close } = await openForCommand(direct, changes)
    t.after(close)
    const { id } = await db.selectFrom('api_key').select('id').executeTakeFirstOrThrow()
    assert.equal((await app.get('/v1/pets')).status, 200)

    if (fate === 'is lost with its line') proxy.cut()
    if (fate === 'is not given') await sql`alter table api_key disable trigger all`.execute(db)
    assert.ok(await write('revokeKey', id, 1))
    const since = performance.now()
    proxy.restore()
    for (let status = 0; status !== 401; ) {
      status = (await app.get('/v1/pets')).status
      assert.ok(performance.now() - since < 1_000 || status === 401, `still ${status}`)
    }
  })
}

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

test('a commit outdates pages, and keys only where it was of keys', async (t) => {
  const url = await scratchDatabase(t)
  const store = await openForCommand(url, changes)
  const watch = await watchPostgres(url, { claim: async () => undefined })
  t.after(() => Promise.all([watch.close(), store.close()]))
  const name = 'Tom'
  const addPet = () => store.db.insertInto('pet').values({ name, category_id: 2, status: null } as never)

  /** Right after the keys were forgotten, which without any notice they are after a second. */
  async function forgotten(): Promise<{ pages: number; keys: number; since: number }> {
    const before = watch.version('keys')
    while (watch.version('keys') === before) await turn()
    return { pages: watch.version('pages'), keys: watch.version('keys'), since: performance.now() }
  }

  const addedPet = await forgotten()
  await addPet().execute()
  while (watch.version('pages') === addedPet.pages) await turn()
  assert.ok(watch.version('keys') === addedPet.keys || performance.now() - addedPet.since > 1_000)

  const addedKey = await forgotten()
  const key = { name: 'b', plan: 'free', access: 'read' } as const
  await store.write('insertKey', key, 'a'.repeat(64), 0)
  while (watch.version('keys') === addedKey.keys) await turn()
  assert.ok(performance.now() - addedKey.since < 1_000)
})

test('another process sees within a second what one has written', async (t) => {
  const { app, direct } = await startBehindProxy(t)
  assert.equal((await app.get('/v1/pets')).text, '[]')
  const other = await openForCommand(direct, changes)
  t.after(() => other.close())
  await other.db
    .insertInto('pet')
    .values({ name: 'Tom', category_id: 2, status: null } as never)
    .execute()

  const since = performance.now()
  while ((await app.get('/v1/pets')).text === '[]') assert.ok(performance.now() - since < 1_000)
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

test('while the database is gone every answer is a 503 in time; then the service is back by itself', async (t) => {
  const { app, proxy } = await startBehindProxy(t)
  await add(app)
  proxy.cut()

  await assertUnavailable(() => add(app), 'POST')
  await assertUnavailable(() => app.get('/v1/pets?limit=3'), 'a page never asked before')
  await assertUnavailable(() => app.get('/v1/pets/1'), 'GET of one')
  const red = await ready(app)
  assert.equal(red.status, 503)
  assert.equal((await app.get('/livez', { authorization: undefined })).status, 200)
  proxy.restore()

  await assertBack(() => ready(app), 200)
  assert.equal((await assertBack(() => add(app), 201)).body.id, 2)
  assert.doesNotMatch(app.log.join(), /postgres:\/\/|adopt_live/)
})

test('without the database nobody can tell whose key it is: a 503, also when the address has used up its limit', async (t) => {
  const { app, proxy } = await startBehindProxy(t, { ANONYMOUS_PER_MINUTE: '1' })
  await app.get('/v1/pets', { authorization: undefined })
  proxy.cut()

  await assertUnavailable(() => app.get('/v1/pets'), 'GET')
  proxy.restore()
  await assertBack(() => app.get('/v1/pets'), 200)
})

test('while the database is silent every answer is a 503 in time; then the service is back by itself', async (t) => {
  const { app, proxy } = await startBehindProxy(t)
  await add(app)
  proxy.mode = 'stall'

  await Promise.all([
    assertUnavailable(() => add(app), 'POST'),
    assertUnavailable(() => app.get('/v1/pets?limit=3'), 'a page never asked before'),
    assertUnavailable(() => app.request('/v1/pets/1', { method: 'DELETE' }), 'DELETE'),
    // Few searches run at once: none of them waits for those before it.
    ...Array.from({ length: 40 }, (_, index) =>
      assertUnavailable(() => app.get(`/v1/pets?breed=${index}`), `search ${index}`),
    ),
  ])
  assert.equal((await ready(app)).status, 503)
  proxy.mode = 'pass'

  await assertBack(() => add(app), 201)
})

test('a read-only database answers reads, and writes with 503; readiness and metrics say so', async (t) => {
  const { app, direct } = await startBehindProxy(t, { METRICS_PORT: '0' })
  const measured = async () => (await fetch(String(app.service.metricsAddress))).text()
  const name = new URL(direct).pathname.slice(1)
  await add(app)
  const setReadOnly = async (state: 'on' | 'off') => {
    await runOnServer(`alter database ${name} set default_transaction_read_only = ${state}`)
    await terminateAll(name)
  }
  await setReadOnly('on')

  await assertBack(() => app.get('/v1/pets?limit=4'), 200)
  await assertUnavailable(() => add(app), 'POST')
  await assertBack(() => ready(app), 503)
  assert.match(await measured(), /^adoptable_store_up.* 0$/m)
  assert.match(app.log.join(), /PostgreSQL: the database is read-only/)
  await setReadOnly('off')
  await assertBack(() => add(app), 201)
  await assertBack(() => ready(app), 200)
  assert.match(await measured(), /^adoptable_store_up.* 1$/m)
})

test('a database that has no connection left answers 503, and serves again when it has', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const role = `adoptable_role_${process.pid}`
  await runOnServer(`create role ${role} login superuser password 'x'`)
  t.after(() => runOnServer(`drop role ${role}`))
  Object.assign(direct, { username: role, password: 'x' })
  const app = await startApp(t, { databaseUrl: direct.href, key: UNLIMITED })
  await add(app)
  await runOnServer(`alter role ${role} nosuperuser connection limit 0`)
  await terminateAll(direct.pathname.slice(1))

  await assertUnavailable(() => add(app), 'POST')
  await runOnServer(`alter role ${role} superuser connection limit -1`)
  await assertBack(() => add(app), 201)
})

test('when the reply to a commit is cut off, the retry with its Idempotency-Key gets the first answer', async (t) => {
  const { app, proxy } = await startBehindProxy(t)
  const retry = { 'idempotency-key': 'k' }
  let writing: unknown
  let cuts = 0
  proxy.onSend = (bytes, line) => {
    if (bytes.includes('insert into "pet"')) writing = line
    return line === writing && bytes.includes('commit') && cuts++ === 0
  }

  await assertUnavailable(() => add(app, retry), 'POST')
  const answer = await assertBack(() => add(app, retry), 201)

  assert.equal(cuts > 0 && answer.headers['idempotent-replayed'], 'true')
  assert.deepEqual((await app.get('/v1/pets')).body, [answer.body])
})

async function terminateAll(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await client.end()
}

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
    swept = write('removeExpiredResults', DAY_MS)
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
