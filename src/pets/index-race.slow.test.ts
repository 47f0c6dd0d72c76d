import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { scratchDatabase } from '../testing/postgres.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'
import { catchUp } from './search-index.ts'

test('a change under way while the index is brought up to date is found after it, on PostgreSQL', async (t) => {
  const app = await startApp(t, {
    databaseUrl: await scratchDatabase(t),
    key: { ...UNLIMITED, access: 'admin' },
  })
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

test('where a step does not get done in its time a smaller one does, on PostgreSQL', async (t) => {
  const app = await startApp(t, {
    databaseUrl: await scratchDatabase(t),
    key: { ...UNLIMITED, access: 'admin' },
  })
  const { write, db } = app.service.context
  for (const name of ['Rex', 'Bella', 'Ada']) await app.post('/v1/pets', { name, categoryId: 1 })
  await catchUp(write)
  for (const id of [1, 2, 3]) await app.patch(`/v1/pets/${id}`, { name: `Bob${id}` })
  const names = async (): Promise<string[]> => {
    const found = sql<{
      token: string
    }>`select token from search_posting where token like 'n:%' order by token`
    return (await found.execute(db)).rows.map(({ token }) => token)
  }
  const other = new pg.Client(app.databaseUrl)
  await other.connect()
  await other.query("begin; select 1 from search_posting where token = 'n:ada' for update")
  await assert.rejects(catchUp(write), { code: 'service_unavailable' })
  await other.end()
  assert.deepEqual(await names(), ['n:ada', 'n:bob1', 'n:bob2'])
  await catchUp(write)
  assert.deepEqual(await names(), ['n:bob1', 'n:bob2', 'n:bob3'])
})
