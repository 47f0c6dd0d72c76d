import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openForCommand } from '../db/open-database.ts'
import { assertError } from '../testing/client.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'
import { MOST_CHANGED } from './changed.ts'

test('an animal that changes while the index is built is found by all that it has', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const { write } = app.service.context
  for (const name of ['Rex', 'Bella'])
    await app.post('/v1/pets', { name, categoryId: 1, description: 'Loves walks.' })
  while (await write('indexAnimals'));
  await write('rebuildIndex')
  await app.patch('/v1/pets/2', { name: 'Ada' })
  await app.delete('/v1/pets/1')
  while (await write('indexAnimals'));

  for (const q of ['walks', 'ada']) {
    const { status, body } = await app.get(`/v1/pets?q=${q}`)
    assert.equal(status, 200)
    assert.deepEqual(
      body.map(({ id }: { id: number }) => id),
      [2],
      q,
    )
  }
})

test('behind very many changes searches are refused for a while, lists are not, and the index catches up', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const { db, close } = await openForCommand(app.databaseUrl)
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  await sql`
    with recursive numbered (id) as (select 2 union all select id + 1 from numbered where id <= ${MOST_CHANGED})
    insert into search_change (pet_id) select id from numbered`.execute(db)
  await close()

  const refused = await app.get('/v1/pets?q=rex')
  assertError(refused, 503, 'service_unavailable', 'q=rex')
  assert.ok(Number(refused.headers['retry-after']) > 0)
  assert.equal((await app.get('/v1/pets')).status, 200)
  while ((await app.get('/v1/pets?q=rex')).status === 503);
  assert.equal((await app.get('/v1/pets?q=rex')).body.length, 1)
})
