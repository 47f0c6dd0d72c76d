import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../testing/client.ts'
import { startApp, type TestApp } from '../testing/start-app.ts'

const ADMIN = { key: { access: 'admin' } } as const

const patch = ({ request }: TestApp, id: number | string, body: unknown) =>
  request(`/v1/categories/${id}`, {
    method: 'PATCH',
    body,
    headers: { 'content-type': 'application/merge-patch+json' },
  })

const remove = ({ request }: TestApp, id: number | string) =>
  request(`/v1/categories/${id}`, { method: 'DELETE' })

test('GET /v1/categories of a new store with a read key returns the eight initial categories in order of id', async (t) => {
  const { get } = await startApp(t, { key: { access: 'read' } })
  const { body } = await get('/v1/categories')

  assert.deepEqual(
    body.map(({ id, name }: { id: number; name: string }) => `${id} ${name}`),
    [
      '1 Dog',
      '2 Cat',
      '3 Rabbit',
      '4 Small & furry',
      '5 Horse',
      '6 Bird',
      '7 Scales, fins & other',
      '8 Barnyard',
    ],
  )
  assert.deepEqual((await get('/v1/categories/4')).body, { id: 4, name: 'Small & furry' })
})

test('an admin key can create, use, change and delete a category', async (t) => {
  const app = await startApp(t, ADMIN)
  const created = await app.post('/v1/categories', { name: 'Ferret', description: 'Long and quick', id: 1 })
  assert.deepEqual(
    [created.status, created.body],
    [201, { id: 9, name: 'Ferret', description: 'Long and quick' }],
  )

  assert.equal((await app.post('/v1/pets', { name: 'Fred', categoryId: 9 })).status, 201)
  assert.equal((await app.get('/v1/pets?categoryId=9')).body.length, 1)
  assertError(await remove(app, 9), 409, 'category_in_use', 'with an animal')
  assert.deepEqual((await patch(app, 9, { name: 'Ferrets' })).body.name, 'Ferrets')
  assert.deepEqual((await patch(app, 9, {})).body, { id: 9, name: 'Ferrets', description: 'Long and quick' })
  assert.deepEqual((await patch(app, 9, { description: null })).body, { id: 9, name: 'Ferrets' })

  await app.request('/v1/pets/1', { method: 'DELETE' })
  const removed = await remove(app, 9)
  assert.deepEqual([removed.status, removed.text], [204, ''])
  assertError(await app.get('/v1/categories/9'), 404, 'category_not_found', 'a removed one')
  assertError(await app.post('/v1/pets', { name: 'Fred', categoryId: 9 }), 400, 'validation_failed', 'its id')
  assert.equal((await app.post('/v1/categories', { name: 'Ferret' })).body.id, 10, 'no id is used again')
})

test('a category name that differs from an existing name only in case or character width: 409', async (t) => {
  const app = await startApp(t, ADMIN)
  assert.equal((await app.post('/v1/categories', { name: 'Ärgerlich Großes' })).status, 201)

  for (const name of ['Dog', 'dOG', ' dog ', 'ＤＯＧ', 'ÄRGERLICH GROßES', 'A\u0308rgerlich großes']) {
    assertError(await app.post('/v1/categories', { name }), 409, 'category_exists', name)
  }
  assertError(await patch(app, 2, { name: 'DOG' }), 409, 'category_exists', 'PATCH')
  assert.equal((await patch(app, 1, { name: 'DOG' })).body.name, 'DOG', 'its own name in other letters')
})

test('an invalid category request: 400 or 404 that names the member, and nothing is stored', async (t) => {
  const app = await startApp(t, ADMIN)
  for (const [body, pointer] of [
    [{}, '/name'],
    [{ name: '' }, '/name'],
    [{ name: 5 }, '/name'],
    [{ name: ' ' }, '/name'],
    [{ name: 'x'.repeat(101) }, '/name'],
    [{ name: 'a\u0000' }, '/name'],
    [{ name: 'a', description: null }, '/description'],
  ] as const) {
    const answer = await app.post('/v1/categories', body)
    assertError(answer, 400, 'validation_failed', JSON.stringify(body))
    assert.equal(answer.body.details[0].pointer, pointer)
  }
  for (const id of ['0', '99', 'x', '01', '9007199254740993']) {
    assertError(await app.get(`/v1/categories/${id}`), 404, 'category_not_found', id)
    assertError(await patch(app, id, {}), 404, 'category_not_found', id)
    assertError(await patch(app, id, { name: 'New' }), 404, 'category_not_found', id)
    assertError(await remove(app, id), 404, 'category_not_found', id)
  }
  assert.equal((await app.get('/v1/categories')).body.length, 8)
})

test('changing categories with a write key: 403', async (t) => {
  const app = await startApp(t, { key: { access: 'write' } })

  assertError(await app.post('/v1/categories', { name: 'x' }), 403, 'insufficient_access', 'POST')
  assertError(await patch(app, 1, { name: 'x' }), 403, 'insufficient_access', 'PATCH')
  assertError(await remove(app, 8), 403, 'insufficient_access', 'DELETE')
})
