import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../testing/start-app.ts'

test('Prefer: handling=strict with an unknown parameter gets 400 that names it, even for a cached page', async (t) => {
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

test('a request without Prefer, with another preference, or with known parameters only gets 200', async (t) => {
  const { get } = await startApp(t)
  assert.equal((await get('/v1/pets?bred=poodle', { prefer: 'handling=lenient' })).status, 200)
  assert.equal((await get('/v1/pets?bred=poodle', { prefer: 'xhandling=strict' })).status, 200)
  assert.equal((await get('/v1/pets?breed=poodle&limit=3', { prefer: 'handling=strict' })).status, 200)
  assert.equal((await get('/v1/pets/1?x=1', { prefer: 'handling=strict' })).status, 400)
})

test('Prefer: handling=strict with `within` but no `near`: 400, even for a cached page', async (t) => {
  const { get } = await startApp(t)
  const path = '/v1/pets?within=5'
  for (const _ of ['first', 'cached']) assert.equal((await get(path)).status, 200)
  const { status, body } = await get(path, { prefer: 'handling=strict' })
  assert.deepEqual([status, body.details[0].parameter], [400, 'within'])
})

test('a known parameter that is not UTF-8: 400 that names it; an unknown parameter is ignored', async (t) => {
  const { get } = await startApp(t)
  for (const path of ['/v1/pets?q=%ff', '/v1/pets?limit=2&q=a%C3', '/v1/pets/facets?facet=age&q=%E0%A4%A']) {
    const { status, body } = await get(path)
    assert.deepEqual([status, body.code, body.details[0].parameter], [400, 'invalid_parameter', 'q'], path)
  }
  assert.equal((await get('/v1/pets?x=%ff')).status, 200)
})
