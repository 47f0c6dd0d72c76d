import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAnswers } from '../testing/client.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

const ADMIN = { ...UNLIMITED, access: 'admin' } as const
const REX = { name: 'Rex', categoryId: 1, status: 'available' }
const ADOPTER = { name: 'A', email: 'a@example.org' }
const MERGE = { 'content-type': 'application/merge-patch+json' }
const ANONYMOUS = { authorization: undefined }

test('Cache-Control under /v1 is private, no-cache; Cache-Control of orders is no-store', async (t) => {
  const app = await startApp(t, { key: ADMIN })
  const change = (path: string, body: object) => app.request(path, { method: 'PATCH', headers: MERGE, body })
  const gone = (path: string) => app.request(path, { method: 'DELETE' })
  const changed = [
    await app.post('/v1/pets', REX),
    await change('/v1/pets/1', { name: 'Max' }),
    await app.post('/v1/categories', { name: 'Goats' }),
    await change('/v1/categories/9', { name: 'Sheep' }),
  ]
  const read = [
    await app.get('/v1/pets'),
    await app.get('/v1/pets'),
    await app.request('/v1/pets', { method: 'HEAD' }),
    await app.get('/v1/pets', { 'if-none-match': '*' }),
    await app.get('/v1/pets?id=1', { 'if-none-match': '*' }),
    await app.get('/v1/pets/1'),
    await app.get('/v1/pets/1', { 'if-none-match': '*' }),
    await app.get('/v1/pets/1/history'),
    await app.get('/v1/categories'),
    await app.get('/v1/categories/9'),
    await app.get('/v1/inventory'),
  ]
  changed.push(await gone('/v1/categories/9'))
  for (const [answers, vary] of [
    [changed, 'Authorization, Origin'],
    [read, 'Accept-Encoding, Authorization, Origin'],
  ] as const) {
    for (const { status, headers } of answers) {
      assert.ok(status < 400)
      assert.deepEqual([headers['cache-control'], headers.vary], ['private, no-cache', vary])
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  }
  const personal = [
    await app.post('/v1/store/orders', { petId: 1, adopter: ADOPTER }),
    await app.get('/v1/store/orders'),
    await app.get('/v1/store/orders/1'),
    await app.request('/v1/store/orders/1', { method: 'HEAD' }),
    await change('/v1/store/orders/1', { status: 'approved' }),
    await gone('/v1/store/orders/1'),
  ]
  for (const { status, headers, text } of personal) {
    assert.ok(status < 400, text)
    assert.deepEqual([headers['cache-control'], headers.vary], ['no-store', 'Authorization, Origin'])
    assert.equal(headers['x-content-type-options'], 'nosniff')
  }
})

test('errors are sent with no-store, and every response is sent with nosniff', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const errors = [
    await app.get('/v1/pets?limit=0'),
    await app.get('/v1/pets', ANONYMOUS),
    await app.post('/v1/categories', { name: 'Goats' }),
    await app.get('/v1/pets/7'),
    await app.get('/v1/pets/7', { 'if-none-match': '*' }),
    await app.get('/v1/pets/%zz'),
    await app.get('/v1/store/orders/7'),
    await app.request('/v1/pets', { method: 'PUT' }),
    await app.get('/nowhere'),
    await app.get('/%zz'),
    await app.request('/docs', { method: 'POST' }),
    ...readAnswers(await app.raw('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')),
    ...readAnswers(await app.raw('no HTTP\r\n\r\n')),
    ...readAnswers(await app.raw(`GET / HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)),
    ...readAnswers(await app.raw('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')),
  ]
  assert.equal(errors.length, 15)
  for (const { status, headers, text } of errors) {
    assert.ok(status >= 400)
    assert.deepEqual([headers['cache-control'], headers.vary], ['no-store', undefined], text)
    assert.equal(headers['x-content-type-options'], 'nosniff', text)
  }
  for (const path of ['/', '/docs', '/docs/reference.js', '/openapi.json', '/livez', '/readyz']) {
    const { headers } = await app.get(path, ANONYMOUS)
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    assert.notEqual(headers['cache-control'], 'private, no-cache', path)
  }
})
