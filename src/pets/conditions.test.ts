import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../testing/client.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const REX = { name: 'Rex', categoryId: 1, status: 'available' }
const DAY_MS = 86_400_000

function changer({ request }: TestApp) {
  return (body: unknown, headers: Record<string, string>, id = 1) =>
    request(`/v1/pets/${id}`, {
      method: 'PATCH',
      body,
      headers: { 'content-type': 'application/merge-patch+json', ...headers },
    })
}

const dateOf = (time: number): string => new Date(time).toUTCString()

test('GET of one animal with its exact Last-Modified as If-Modified-Since gets 304; with any other date it gets 200', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  await app.post('/v1/pets', REX)
  for (const path of ['/v1/pets/1', '/v1/pets?id=1']) {
    const { headers, text } = await app.get(path)
    const date = String(headers['last-modified'])
    for (const method of ['GET', 'HEAD']) {
      const unchanged = await app.request(path, { method, headers: { 'if-modified-since': date } })
      assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers.etag], [304, '', headers.etag])
      assert.equal(unchanged.headers['last-modified'], date)
    }
    const old = 'Tuesday, 01-Dec-26 00:00:00 GMT'
    assert.equal((await app.get(path, { 'if-modified-since': old })).status, 304)

    // After a restore the last change may be older, so only an equal date means that the client is current.
    for (const since of [dateOf(app.clock.now - 1_000), dateOf(app.clock.now + DAY_MS), '2026', '0']) {
      const answer = await app.get(path, { 'if-modified-since': since })
      assert.deepEqual([answer.status, answer.text], [200, text], since)
    }
    const both = await app.get(path, { 'if-modified-since': date, 'if-none-match': '"x"' })
    assert.equal(both.status, 200, 'If-None-Match decides alone')
  }
  const list = await app.get('/v1/pets', { 'if-modified-since': dateOf(app.clock.now) })
  assert.deepEqual([list.status, list.headers['last-modified']], [200, undefined])
})

test('PATCH and DELETE with If-Unmodified-Since get 412 if the animal was changed later', async (t) => {
  const app = await startApp(t)
  const change = changer(app)
  await app.post('/v1/pets', REX)
  const read = dateOf(app.clock.now)
  app.clock.now += 5_000
  const { headers } = await change({ name: 'Max' }, { 'if-unmodified-since': read })
  assert.equal(headers['last-modified'], dateOf(app.clock.now))

  assertError(
    await change({ name: 'A' }, { 'if-unmodified-since': read }),
    412,
    'precondition_failed',
    'PATCH',
  )
  const remove = (sent: Record<string, string>) =>
    app.request('/v1/pets/1', { method: 'DELETE', headers: sent })
  assertError(await remove({ 'if-unmodified-since': read }), 412, 'precondition_failed', 'DELETE')
  for (const path of ['/v1/pets/1', '/v1/pets?id=1']) {
    await app.get(path)
    assertError(await app.get(path, { 'if-unmodified-since': read }), 412, 'precondition_failed', path)
    assertError(await app.get(path, { 'if-match': '"x"' }), 412, 'precondition_failed', path)
  }
  assert.equal((await app.get('/v1/pets/1')).body.name, 'Max')

  for (const sent of [
    { 'if-unmodified-since': dateOf(app.clock.now) },
    { 'if-unmodified-since': dateOf(app.clock.now + DAY_MS) },
    { 'if-unmodified-since': '2020-01-01' },
    { 'if-unmodified-since': read, 'if-match': '*' },
  ]) {
    assert.equal((await change({ name: 'Max' }, sent)).status, 200, JSON.stringify(sent))
  }
  const matched = { 'if-match': '"x"', 'if-unmodified-since': dateOf(app.clock.now) }
  assertError(await change({ name: 'A' }, matched), 412, 'precondition_failed', 'If-Match decides alone')
  assertError(await change({ name: 'A' }, { 'if-none-match': '*' }), 412, 'precondition_failed', 'RFC 9110')
  assert.equal((await remove({ 'if-unmodified-since': dateOf(app.clock.now) })).status, 204)
})

test('GET /v1/pets with exactly one id returns the ETag of that animal, which can be used as If-Match', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const change = changer(app)
  const created = await app.post('/v1/pets', REX)
  await app.post('/v1/pets', REX)
  for (const path of ['/v1/pets?id=1', '/v1/pets?limit=1&id=1&status=available&sort=id']) {
    const { body, headers } = await app.get(path)
    assert.deepEqual(body, [created.body])
    assert.deepEqual(
      [headers.etag, headers['last-modified']],
      [created.headers.etag, created.headers['last-modified']],
    )
  }
  app.clock.now += 5_000
  const { etag } = (await app.get('/v1/pets?id=1')).headers
  const changed = await change({ name: 'Max' }, { 'if-match': String(etag) })
  assert.equal(changed.status, 200)
  assertError(await change({ name: 'A' }, { 'if-match': String(etag) }), 412, 'precondition_failed', 'again')

  const after = await app.get('/v1/pets?id=1', { 'if-none-match': etag })
  assert.deepEqual([after.status, after.body], [200, [changed.body]])
  assert.equal(after.headers.etag, changed.headers.etag)
  assert.equal(after.headers['last-modified'], dateOf(app.clock.now))
  assert.equal((await app.get('/v1/pets?id=1', { 'if-none-match': after.headers.etag })).status, 304)

  const own = [after.headers.etag, (await app.get('/v1/pets?id=2')).headers.etag]
  for (const path of [
    '/v1/pets?id=1&status=sold',
    '/v1/pets?id=3',
    '/v1/pets?id=1&id=2',
    '/v1/pets?limit=1',
  ]) {
    const { headers } = await app.get(path)
    assert.ok(headers.etag && !own.includes(headers.etag), path)
    assert.equal(headers['last-modified'], undefined, path)
  }
  await app.request('/v1/pets/1', { method: 'DELETE' })
  const gone = await app.get('/v1/pets?id=1', { 'if-none-match': after.headers.etag })
  assert.deepEqual([gone.status, gone.body], [200, []])
})

test('the ETag of a page changes only when its animals, fields or order change', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const change = changer(app)
  for (const name of ['Rex', 'Max', 'Tom']) await app.post('/v1/pets', { ...REX, name })
  const pages = ['limit=2', 'limit=3', 'limit=2&fields=id,name', 'limit=2&fields=*', 'limit=2&sort=id']
  const etagsOfAll = () =>
    Promise.all(pages.map(async (page) => String((await app.get(`/v1/pets?${page}`)).headers.etag)))

  const before = await etagsOfAll()
  assert.equal(new Set(before).size, pages.length)
  await app.post('/v1/categories', { name: 'Bees' })
  await change({ name: 'Rex' }, {})
  assert.deepEqual(await etagsOfAll(), before, 'the pages have not changed')
  await change({ description: 'Shy.' }, {}, 2)
  const after = await etagsOfAll()
  for (const [index, etag] of after.entries()) assert.notEqual(etag, before[index], pages[index])
})

test('ETags of animals never repeat, not even in another store', async (t) => {
  const etags: string[] = []
  for (const app of [await startApp(t), await startApp(t)]) {
    const created = await app.post('/v1/pets', REX)
    etags.push(String(created.headers.etag))
    etags.push(String((await changer(app)({ name: 'Max' }, {})).headers.etag))
    const adopter = { name: 'A', email: 'a@example.org' }
    assert.equal((await app.post('/v1/store/orders', { petId: 1, adopter })).status, 201)
    etags.push(String((await app.get('/v1/pets/1')).headers.etag))
    await app.request('/v1/store/orders/1', { method: 'DELETE' })
    etags.push(String((await app.get('/v1/pets/1')).headers.etag))
  }
  assert.equal(new Set(etags).size, 8, etags.join())
})
