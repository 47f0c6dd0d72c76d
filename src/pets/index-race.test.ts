import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import '../testing/on-postgres.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

test('a change under way while the index is brought up to date is found after it, on PostgreSQL', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const { write, db } = app.service.context
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  while (await write('indexAnimals'));
  await app.patch('/v1/pets/1', { name: 'Bella' })
  await db.transaction().execute(async (transaction) => {
    await sql`update pet set name = 'Ada', version = version + 1 where id = 1`.execute(transaction)
    await write('indexAnimals')
  })
  while (await write('indexAnimals'));
  const { rows } = await sql`select token from search_posting where token = 'n:ada'`.execute(db)
  assert.equal(rows.length, 1)
})
