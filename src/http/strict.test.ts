import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../testing/start-app.ts'

test('with Prefer: handling=strict an unknown parameter is a 400 that names it, also where the page is cached', async (t) => {
  const { get } = await startApp(t)
  const misspelt = '/v1/pets?bred=poodle&status=available'
  for (let time = 0; time < 2; time += 1) assert.equal((await get(misspelt)).status, 200)

  for (const prefer of ['handling=strict', 'respond-async, Handling = "strict"; wait=10']) {
    const { status, body } = await get(misspelt, { prefer })
    assert.deepEqual([status, body.code], [400, 'invalid_parameter'])
    assert.deepEqual(
      body.details.map(({ parameter }: { parameter: string }) => parameter),
      ['bred'],
    )
  }
})

test('without that preference, with another one, or with known parameters alone, a request is answered', async (t) => {
  const { get } = await startApp(t)
  assert.equal((await get('/v1/pets?bred=poodle', { prefer: 'handling=lenient' })).status, 200)
  assert.equal((await get('/v1/pets?bred=poodle', { prefer: 'xhandling=strict' })).status, 200)
  assert.equal((await get('/v1/pets?breed=poodle&limit=3', { prefer: 'handling=strict' })).status, 200)
  assert.equal((await get('/v1/pets/1?x=1', { prefer: 'handling=strict' })).status, 400)
})
