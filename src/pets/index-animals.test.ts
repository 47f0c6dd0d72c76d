import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

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
