import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { changes } from '../changes.ts'
import { startBehindProxy } from '../testing/behind-proxy.ts'
import { type Answer, assertError } from '../testing/client.ts'
import { runOnServer, scratchDatabase, terminateAll } from '../testing/postgres.ts'
import { until } from '../testing/redis.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import { openForCommand } from './open-database.ts'
import { watchPostgres } from './watch-postgres.ts'

// How the service reacts within seconds when PostgreSQL is unreachable, silent, read-only or out of
// connections, and how processes notice each other's changes.

const REX = { name: 'Rex', categoryId: 1, status: 'available' }
const ANSWER_MS = 2_000
const RECOVERY_MS = 2_000

/** Fails unless the response is a complete 503 and arrives in time. */
async function assertUnavailable(ask: () => Promise<Answer>, about: string): Promise<void> {
  const since = performance.now()
  const answer = await ask()
  assert.ok(performance.now() - since < ANSWER_MS, `${about} took ${performance.now() - since} ms`)
  assertError(answer, 503, 'service_unavailable', about)
  assert.equal(answer.headers['retry-after'], '1')
}

/** Repeats a request until it has the expected status. Fails if the recovery takes too long. */
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

for (const fate of ['arrives', 'is lost with its connection', 'is not sent']) {
  test(`a key revoked by another process is refused within a second if its notification ${fate}`, async (t) => {
    const { app, proxy, direct } = await startBehindProxy(t)
    const { db, write, close } = await openForCommand(direct, changes)
    t.after(close)
    const { id } = await db.selectFrom('api_key').select('id').executeTakeFirstOrThrow()
    assert.equal((await app.get('/v1/pets')).status, 200)

    if (fate === 'is lost with its connection') proxy.cut()
    if (fate === 'is not sent') await sql`alter table api_key disable trigger all`.execute(db)
    assert.ok(await write(changes.revokeKey, id, 1))
    const since = performance.now()
    proxy.restore()
    for (let status = 0; status !== 401; ) {
      status = (await app.get('/v1/pets')).status
      assert.ok(performance.now() - since < 1_000 || status === 401, `still ${status}`)
    }
  })
}

test('a commit invalidates cached pages, and invalidates cached keys only if it changed keys', async (t) => {
  const url = await scratchDatabase(t)
  const store = await openForCommand(url, changes)
  const watch = await watchPostgres(url, { claim: async () => undefined })
  t.after(() => Promise.all([watch.close(), store.close()]))
  const name = 'Tom'
  const addPet = () => store.db.insertInto('pet').values({ name, category_id: 2, status: null } as never)

  /** Waits until the cached keys expire, which happens after a second without a notification. */
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
  await store.write(changes.insertKey, key, 'a'.repeat(64), 0)
  while (watch.version('keys') === addedKey.keys) await turn()
  assert.ok(performance.now() - addedKey.since < 1_000)
})

test('a commit of another process is visible within a second', async (t) => {
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

test('an unreachable database: every response is a 503 in time; the service recovers by itself', async (t) => {
  const { app, proxy } = await startBehindProxy(t)
  await add(app)
  proxy.cut()

  await assertUnavailable(() => add(app), 'POST')
  await assertUnavailable(() => app.get('/v1/pets?limit=3'), 'an uncached page')
  await assertUnavailable(() => app.get('/v1/pets/1'), 'GET of one')
  const red = await ready(app)
  assert.equal(red.status, 503)
  assert.equal((await app.get('/livez', { authorization: undefined })).status, 200)
  proxy.restore()

  await assertBack(() => ready(app), 200)
  assert.equal((await assertBack(() => add(app), 201)).body.id, 2)
  assert.doesNotMatch(app.log.join(), /postgres:\/\/|adopt_live/)
})

test('an unreachable database: a key gets 503 even if its address has used up the limit', async (t) => {
  const { app, proxy } = await startBehindProxy(t, { ANONYMOUS_PER_MINUTE: '1' })
  await app.get('/v1/pets', { authorization: undefined })
  proxy.cut()

  await assertUnavailable(() => app.get('/v1/pets'), 'GET')
  proxy.restore()
  await assertBack(() => app.get('/v1/pets'), 200)
})

test('a silent database: every response is a 503 in time; the service recovers by itself', async (t) => {
  const { app, proxy } = await startBehindProxy(t)
  await add(app)
  proxy.mode = 'stall'

  await Promise.all([
    assertUnavailable(() => add(app), 'POST'),
    assertUnavailable(() => app.get('/v1/pets?limit=3'), 'an uncached page'),
    assertUnavailable(() => app.request('/v1/pets/1', { method: 'DELETE' }), 'DELETE'),
    // Only a few searches run at once, but the waiting ones also get their 503 in time.
    ...Array.from({ length: 40 }, (_, index) =>
      assertUnavailable(() => app.get(`/v1/pets?breed=${index}`), `search ${index}`),
    ),
  ])
  assert.equal((await ready(app)).status, 503)
  proxy.mode = 'pass'

  await assertBack(() => add(app), 201)
})

test('a read-only database: reads work, writes get 503; /readyz and metrics report it', async (t) => {
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
  // The service may still be connecting, which is another reason for a 503.
  await until(async () => {
    assert.equal((await ready(app)).status, 503)
    return /PostgreSQL: the database is read-only/.test(app.log.join())
  })
  assert.match(await measured(), /^adoptable_store_up.* 0$/m)
  await setReadOnly('off')
  await assertBack(() => add(app), 201)
  await assertBack(() => ready(app), 200)
  assert.match(await measured(), /^adoptable_store_up.* 1$/m)
})

test('a database without free connections: requests get 503; the service recovers by itself', async (t) => {
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

test('a connection that breaks after a commit: the retry with the Idempotency-Key gets the first response', async (t) => {
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
