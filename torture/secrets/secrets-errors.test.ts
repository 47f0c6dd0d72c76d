import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { fileOf } from '../../src/db/store-url.ts'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'
import { generateKey } from '../../src/keys/key-format.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import type { Answer } from '../../src/testing/client.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { startProxy } from '../../src/testing/proxy.ts'
import { NEEDS_REDIS, startRedis } from '../../src/testing/redis.ts'
import { startApp, type TestApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { OPERATIONS, type Operation } from '../lab/requests/description.ts'
import { reached } from '../lab/rounds.ts'

/** Takes something away from a running service; `mend` gives it back. */
interface Fault {
  about: string
  break(): unknown
  mend(): unknown
}

const TABLES = [
  'pet',
  'category',
  'adoption_order',
  'application',
  'idempotency',
  'api_key_secret',
  'pet_change',
]
/** A query, a place in the source or on the disk, a product, a version. */
const TELLING =
  /select |insert |update |sqlite|postgres|redis|kysely|fastify|node_modules|\/src\/|\bat \S+:\d+|\d+\.\d+\.\d+/i
const BODIES: Record<string, unknown> = {
  createPet: { name: 'Rex', categoryId: 1, status: 'available' },
  updatePet: { name: 'Max' },
  createCategory: { name: 'Fish' },
  updateCategory: { name: 'Fish' },
  createOrder: { petId: 1, adopter: { name: 'Ann', email: 'ann@pets.example' } },
  updateOrder: { status: 'approved' },
  createApplication: { petId: 1, applicant: { name: 'Ann', email: 'ann@pets.example' } },
  updateApplication: { status: 'in_review' },
}

/**
 * Every operation once on one animal, with an Idempotency-Key, which has its own table: all at a time but for
 * the removals, before which the others need it.
 */
async function callAll(app: TestApp, id: number): Promise<Answer[]> {
  const call = ({ method, path, operationId }: Operation, number: number): Promise<Answer> =>
    app.request(`/v1${path.replace(/\{\w+\}/, String(id))}`, {
      method,
      body: BODIES[operationId],
      headers: { 'content-type': 'application/json', 'idempotency-key': `a-${id}-${method}-${number}` },
    })
  const removals = OPERATIONS.filter(({ method }) => method === 'DELETE')
  const others = OPERATIONS.filter((one) => !removals.includes(one))
  // Whose key has to be looked up.
  const stranger = app.get('/v1/pets', { authorization: `Bearer ${generateKey('production')}` })
  const answers = await Promise.all([...others.map(call), stranger, app.request('/readyz')])
  return [...answers, ...(await Promise.all(removals.map(call)))]
}

function assertTellsNothing({ status, headers, text }: Answer, about: string): void {
  const { code } = JSON.parse(text)
  const [expected, message] = ERRORS[code as ErrorCode] ?? []
  assert.equal(text, JSON.stringify({ code, message, status: expected }), about)
  assert.equal(status, expected, about)
  const { date, etag, ...others } = headers
  assert.doesNotMatch(JSON.stringify(others), TELLING, about)
  assert.ok(!('server' in headers || 'x-powered-by' in headers), about)
}

/** Every fault in its turn. @returns how many answers with 5xx there were */
async function suffer(app: TestApp, faults: Fault[]): Promise<string> {
  const met: Record<number, number> = {}
  for (const fault of faults) {
    const logged = app.log.length
    const added = await app.post('/v1/pets', BODIES.createPet)
    assert.equal(added.status, 201, `before ${fault.about}: ${added.text} ${app.log.at(-2)}`)
    await fault.break()
    const answers = await callAll(app, added.body.id)
    await fault.mend()
    const lost = answers.filter(({ status }) => status >= 500)
    assert.ok(lost.length > 0, `${fault.about}: nothing came of it`)
    for (const answer of lost) {
      met[answer.status] = (met[answer.status] ?? 0) + 1
      assertTellsNothing(answer, fault.about)
      const id = `"reqId":"${answer.headers['x-request-id']}"`
      const told = app.log.slice(logged).filter((line) => line.includes(id) && /"(?:err|reason)"/.test(line))
      assert.ok(told.length > 0, `${fault.about}: the operator is told nothing of ${answer.text}`)
      assert.ok(!told.join().includes(app.key.slice(11, 23)), fault.about)
    }
  }
  const counts = Object.entries(met).map((pair) => pair.join(' × '))
  return `${faults.length} faults, ${counts.join(', ')}: each says only its own sentence`
}

const OPTIONS = { key: { ...UNLIMITED, access: 'admin' as const }, settings: { LOG_LEVEL: 'trace' } }

test('whatever of SQLite is lost, an answer with 5xx tells a client its own sentence and nothing else', async (t) => {
  const app = await startApp(t, OPTIONS)
  const other = new DatabaseSync(fileOf(app.databaseUrl))
  cleanup(t).defer(() => other.close())
  const run = (statement: string) => () => other.exec(statement)
  // No trigger counts that a table is gone: what is kept ready would not be looked at again.
  const forget = 'update revision set pages = pages + 1, keys = keys + 1'
  const tables = TABLES.map((table) => ({
    about: `no table ${table}`,
    break: run(`pragma legacy_alter_table = on; alter table ${table} rename to lost; ${forget}`),
    mend: run(`alter table lost rename to ${table}`),
  }))
  const locked = { about: 'locked', break: run('begin immediate'), mend: run('rollback') }
  reached(t, await suffer(app, [...tables, locked]))
})

test('whatever of PostgreSQL and Redis is lost, an answer with 5xx tells a client its own sentence and nothing else', {
  skip: NEEDS_REDIS.skip,
}, async (t) => {
  const database = await scratchDatabase(t)
  const { hostname, port } = new URL(database)
  const toPostgres = await startProxy(t, { host: hostname, port: Number(port) })
  const redis = await startRedis(t)
  const toRedis = await startProxy(t, { host: '127.0.0.1', port: redis.port })
  const databaseUrl = Object.assign(new URL(database), { hostname: '127.0.0.1', port: toPostgres.port }).href
  const settings = { ...OPTIONS.settings, REDIS_URL: `redis://127.0.0.1:${toRedis.port}` }
  const app = await startApp(t, { ...OPTIONS, settings, databaseUrl })
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  cleanup(t).defer(() => client.end())
  const tables = TABLES.map((table) => ({
    about: `no table ${table}`,
    break: () => client.query(`alter table ${table} rename to lost`),
    mend: () => client.query(`alter table lost rename to ${table}`),
  }))
  const away = { about: 'no database', break: () => toPostgres.cut(), mend: () => backAgain(toPostgres, app) }
  const silent: Fault = {
    about: 'a silent database',
    break: () => {
      toPostgres.mode = 'stall'
    },
    mend: () => {
      toPostgres.mode = 'pass'
      toPostgres.cut()
      return backAgain(toPostgres, app)
    },
  }
  const both: Fault = {
    about: 'neither database nor counters',
    break: () => {
      toPostgres.cut()
      toRedis.cut()
    },
    mend: () => {
      toRedis.restore()
      return backAgain(toPostgres, app)
    },
  }
  reached(t, await suffer(app, [...tables, away, silent, both]))
})

async function backAgain(proxy: { restore(): void }, app: TestApp): Promise<void> {
  proxy.restore()
  while ((await app.request('/readyz')).status !== 200);
}
