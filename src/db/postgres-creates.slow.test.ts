import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { changes } from '../changes.ts'
import { toStored } from '../pets/store.ts'
import type { Answer } from '../testing/client.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { startProxy } from '../testing/proxy.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'
import { openPostgres } from './postgres.ts'
import { transactionWriter } from './write.ts'

// A create on PostgreSQL is a transaction of its own.

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const

/** The writer alone, with a key that adds animals. */
async function openWriter(t: TestContext, { url, committed }: { url?: string; committed?: () => void } = {}) {
  const direct = url ?? (await scratchDatabase(t))
  await makeKey(direct)
  const db = openPostgres(direct, { connections: 5, patient: true })
  const writer = transactionWriter(db, changes, committed)
  t.after(writer.close)
  const { id } = await db.selectFrom('api_key').select('id').executeTakeFirstOrThrow()
  return {
    names: async () =>
      (await db.selectFrom('pet').select('name').orderBy('id').execute()).map(({ name }) => name),
    add: async (name: string) =>
      toStored(await writer.write(changes.insertPet, { ...REX, name }, { keyId: id }, 0)).pet,
  }
}

for (const [moment, stored] of [
  ['insert into "pet"', ['Tom']],
  // The server may have it.
  ['commit', ['Rex,Tom', 'Tom']],
] as const) {
  test(`a connection that breaks at ${moment} fails the create with 503, and stores all of it or nothing`, async (t) => {
    const direct = new URL(await scratchDatabase(t))
    const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
    const url = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` }).href
    const { add, names } = await openWriter(t, { url })
    let cuts = 0
    let writing: unknown
    proxy.onSend = (bytes, line) => {
      if (bytes.includes('insert into "pet"')) writing = line
      return line === writing && bytes.includes(moment) && cuts++ === 0
    }
    await assert.rejects(add('Rex'), { code: 'service_unavailable' })
    assert.equal(cuts, 1)
    await add('Tom')
    const found = String(await names())
    assert.ok((stored as readonly string[]).includes(found), found)
  })
}

test('nobody is answered before the commit, and before it was told that there was one', async (t) => {
  let told = 0
  const url = await scratchDatabase(t)
  const committed = () => {
    told += 1
  }
  const { add } = await openWriter(t, { url, committed })
  const beside = openPostgres(url, { connections: 1, patient: true })
  t.after(() => beside.destroy())
  const { id } = await add('Rex')
  assert.equal(told, 1)
  assert.ok(await beside.selectFrom('pet').select('id').where('id', '=', id).executeTakeFirst())
})

test('64 creates at once are 64 animals with ids of their own, and counted right', async (t) => {
  const databaseUrl = await scratchDatabase(t)
  const app = await startApp(t, { databaseUrl, key: UNLIMITED })
  // One that waits too long for a connection stores nothing, and is sent again.
  async function create(index: number): Promise<Answer> {
    const answer = await app.post('/v1/pets', { ...REX, name: `Rex ${index}`, categoryId: 1 + (index % 2) })
    return answer.status === 503 ? create(index) : answer
  }
  const answers = await Promise.all(Array.from({ length: 64 }, (_, index) => create(index)))

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 64)
  const db = openPostgres(databaseUrl, { connections: 1 })
  t.after(() => db.destroy())
  const stored = await db.selectFrom('pet').select(['id', 'name']).execute()
  const byId = new Map(stored.map(({ id, name }) => [id, name]))
  for (const { body } of answers) assert.equal(byId.get(body.id), body.name)
  const counted = await sql`select category_id as category, sum(pets)::int as pets from inventory
    where status = 'available' group by category_id order by category_id`.execute(db)
  assert.deepEqual(counted.rows, [
    { category: 1, pets: 32 },
    { category: 2, pets: 32 },
  ])
})
