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

// On PostgreSQL each create runs in its own transaction.

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const

/** Opens a writer without a service, on a store with a key. */
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
  // PostgreSQL may have received the commit.
  ['commit', ['Rex,Tom', 'Tom']],
] as const) {
  test(`a connection that breaks at ${moment}: the create fails with 503, and its animal is stored completely or not at all`, async (t) => {
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

test('a create resolves after its commit and after the commit callback', async (t) => {
  let commits = 0
  const url = await scratchDatabase(t)
  const committed = () => {
    commits += 1
  }
  const { add } = await openWriter(t, { url, committed })
  const reader = openPostgres(url, { connections: 1, patient: true })
  t.after(() => reader.destroy())
  const { id } = await add('Rex')
  assert.equal(commits, 1)
  assert.ok(await reader.selectFrom('pet').select('id').where('id', '=', id).executeTakeFirst())
})

test('64 concurrent creates add 64 animals with distinct ids, and the inventory is correct', async (t) => {
  const databaseUrl = await scratchDatabase(t)
  const app = await startApp(t, { databaseUrl, key: UNLIMITED })
  // A create that waits too long is sent again with the same Idempotency-Key, as a client would.
  async function create(index: number): Promise<Answer> {
    const pet = { ...REX, name: `Rex ${index}`, categoryId: 1 + (index % 2) }
    const answer = await app.post('/v1/pets', pet, { 'idempotency-key': `create-${index}` })
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
