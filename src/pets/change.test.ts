import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../testing/client.ts'
import { startApp, type TestApp } from '../testing/start-app.ts'

const REX = { name: 'Rex', categoryId: 1 }

function patcher({ request }: TestApp) {
  return (id: number | string, body: unknown, headers: Record<string, string> = {}) =>
    request(`/v1/pets/${id}`, {
      method: 'PATCH',
      body,
      headers: { 'content-type': 'application/merge-patch+json', ...headers },
    })
}

test('PATCH /v1/pets/{petId} changes only the members in the body', async (t) => {
  const app = await startApp(t)
  const patch = patcher(app)
  await app.post('/v1/pets', { ...REX, status: 'available' })

  assert.deepEqual((await patch(1, { name: 'Max' })).body, {
    id: 1,
    name: 'Max',
    categoryId: 1,
    status: 'available',
  })
  const answer = await patch(
    1,
    { categoryId: 2, status: 'sold', id: 9, owner: 'x' },
    { 'content-type': 'application/json' },
  )
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, { id: 1, name: 'Max', categoryId: 2, status: 'sold' })
  assert.deepEqual((await app.get('/v1/pets')).body, [answer.body])
})

test('PATCH /v1/pets/{petId} without a change returns 200 and the same ETag, and adds no history entry', async (t) => {
  const app = await startApp(t)
  const { headers } = await app.post('/v1/pets', { ...REX, status: 'available' })

  for (const body of [{}, { status: 'available' }, REX]) {
    const same = await patcher(app)(1, body)
    assert.deepEqual([same.status, same.headers.etag], [200, headers.etag])
  }
  assert.deepEqual((await app.get('/v1/pets/1/history')).body, [])
})

test('PATCH /v1/pets/{petId} with a status that cannot follow: 409 that names the allowed statuses', async (t) => {
  const app = await startApp(t)
  const patch = patcher(app)
  const statuses = [undefined, 'available', 'pending', 'sold']
  const forbidden = ['sold→pending']
  let id = 0
  for (const from of statuses) {
    for (const to of statuses.slice(1)) {
      await app.post('/v1/pets', { ...REX, status: from })
      id += 1
      const answer = await patch(id, { status: to })
      if (!forbidden.includes(`${from}→${to}`))
        assert.deepEqual([answer.status, answer.body.status], [200, to])
      else {
        assertError(answer, 409, 'invalid_status_transition', `${from} to ${to}`)
        assert.match(answer.body.message, /available/)
        assert.equal((await app.get(`/v1/pets/${id}`)).body.status, from)
      }
    }
  }
})

test('an invalid PATCH /v1/pets/{petId} gets 4xx, and nothing changes', async (t) => {
  const app = await startApp(t)
  const patch = patcher(app)
  const { headers } = await app.post('/v1/pets', REX)

  for (const [body, pointer] of [
    [{ name: null }, '/name'],
    [{ status: null }, '/status'],
    [{ categoryId: '1' }, '/categoryId'],
    [{ categoryId: 99 }, '/categoryId'],
    [{ name: '', categoryId: 99 }, '/categoryId'],
    [[], ''],
  ] as const) {
    const answer = await patch(1, body)
    assertError(answer, 400, 'validation_failed', JSON.stringify(body))
    assert.ok(
      answer.body.details.some((detail: { pointer: string }) => detail.pointer === pointer),
      answer.text,
    )
  }
  for (const type of ['text/plain', 'application/json-patch+json', 'application/xml']) {
    const answer = await patch(1, '{}', { 'content-type': type })
    assertError(answer, 415, 'unsupported_media_type', type)
    assert.equal(answer.headers['accept-patch'], 'application/merge-patch+json, application/json')
  }
  assertError(
    await app.post('/v1/pets', REX, { 'content-type': 'application/merge-patch+json' }),
    415,
    'unsupported_media_type',
    'POST',
  )
  for (const id of ['2', 'x', '9007199254740993']) assertError(await patch(id, {}), 404, 'pet_not_found', id)
  assertError(await patch('x', { name: '' }), 400, 'validation_failed', 'the body is validated first')
  assert.equal((await app.get('/v1/pets/1')).headers.etag, headers.etag)
})

test('DELETE /v1/pets/{petId} returns 204, then 404, and the id is not used again', async (t) => {
  const app = await startApp(t)
  await app.post('/v1/pets', REX)
  await app.post('/v1/pets', REX)

  const removed = await app.request('/v1/pets/2', { method: 'DELETE' })
  assert.deepEqual([removed.status, removed.text], [204, ''])
  assert.ok(removed.headers['x-ratelimit-remaining'])
  assertError(await app.request('/v1/pets/2', { method: 'DELETE' }), 404, 'pet_not_found', 'again')
  assertError(await patcher(app)(2, { name: 'x' }), 404, 'pet_not_found', 'a removed animal')
  assertError(await app.get('/v1/pets/2/history'), 404, 'pet_not_found', 'its history')
  assert.deepEqual((await app.get('/v1/pets?id=2')).body, [])
  assert.equal((await app.post('/v1/pets', REX)).body.id, 3)
})

test('PATCH and DELETE /v1/pets/{petId} with a read key get 403', async (t) => {
  const app = await startApp(t, { key: { access: 'read' } })

  assertError(await patcher(app)(1, {}), 403, 'insufficient_access', 'PATCH')
  assertError(await app.request('/v1/pets/1', { method: 'DELETE' }), 403, 'insufficient_access', 'DELETE')
})

test('GET of one animal has ETag and Last-Modified; a stale If-Match gets 412, a current If-None-Match gets 304', async (t) => {
  const app = await startApp(t)
  const patch = patcher(app)
  const created = await app.post('/v1/pets', REX)
  const etag = String(created.headers.etag)
  assert.match(etag, /^"[^"]+"$/)
  assert.equal(created.headers['last-modified'], new Date(app.clock.now).toUTCString())
  assert.equal((await app.get('/v1/pets/1')).headers.etag, etag)

  for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const answer = await app.get('/v1/pets/1', { 'if-none-match': condition })
    assert.deepEqual([answer.status, answer.text, answer.headers.etag], [304, '', etag])
    assert.ok(answer.headers['x-ratelimit-remaining'] && answer.headers.sunset)
  }
  app.clock.now += 5_000
  const changed = await patch(1, { name: 'Max' }, { 'if-match': etag })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.etag, etag)
  assert.equal(changed.headers['last-modified'], new Date(app.clock.now).toUTCString())
  assert.equal((await app.get('/v1/pets/1', { 'if-none-match': etag })).status, 200)

  for (const stale of [etag, '"x"', `W/${changed.headers.etag}`]) {
    assertError(await patch(1, { name: 'Moritz' }, { 'if-match': stale }), 412, 'precondition_failed', stale)
    const removal = await app.request('/v1/pets/1', { method: 'DELETE', headers: { 'if-match': stale } })
    assertError(removal, 412, 'precondition_failed', stale)
  }
  assert.equal((await patch(1, { name: 'Moritz' }, { 'if-match': '*' })).status, 200)
})

test('64 concurrent PATCHes with the same If-Match: one gets 200, 63 get 412', async (t) => {
  const app = await startApp(t)
  const patch = patcher(app)
  const { headers } = await app.post('/v1/pets', { ...REX, status: 'available' })
  const condition = { 'if-match': String(headers.etag) }

  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, index) => patch(1, { name: `Name ${index}` }, condition)),
  )

  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal(answers.filter(({ status }) => status === 412).length, 63)
  assert.equal((await app.get('/v1/pets/1/history')).body.length, 1)
})

test('GET /v1/pets/{petId}/history lists key, time and values of each change, newest first', async (t) => {
  const app = await startApp(t)
  const patch = patcher(app)
  await app.post('/v1/pets', REX)
  await patch(1, { status: 'available' })
  app.clock.now += 60_000
  await patch(1, { name: 'Max', status: 'sold', categoryId: 1 })

  assert.deepEqual((await app.get('/v1/pets/1/history')).body, [
    {
      at: '2026-12-01T00:01:00.000Z',
      keyId: 1,
      changes: { name: { from: 'Rex', to: 'Max' }, status: { from: 'available', to: 'sold' } },
    },
    { at: '2026-12-01T00:00:00.000Z', keyId: 1, changes: { status: { to: 'available' } } },
  ])
})
