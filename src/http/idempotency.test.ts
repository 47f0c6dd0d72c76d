import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../testing/client.ts'
import { doJobs } from '../testing/jobs.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'

const REX = { name: 'Rex', categoryId: 1, status: 'available' }
const DAY_MS = 86_400_000

test('POST /v1/pets repeated with its Idempotency-Key gets the same response and adds nothing', async (t) => {
  const app = await startApp(t)
  const send = (key: string, body: unknown = REX) => app.post('/v1/pets', body, { 'idempotency-key': key })
  const first = await send('abc')
  assert.deepEqual([first.status, first.headers['idempotent-replayed']], [201, undefined])

  for (const key of ['abc', '"abc"']) {
    const again = await send(key)
    assert.deepEqual([again.status, again.text], [201, first.text])
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal(again.headers.etag, first.headers.etag)
    assert.equal(again.headers['last-modified'], first.headers['last-modified'])
  }
  assert.equal((await send('abd')).body.id, 2)
  assert.equal((await app.get('/v1/pets')).body.length, 2)
})

test('every 201 has a Location, even when it is replayed', async (t) => {
  const forwarded = { 'x-forwarded-host': 'shelter.example', 'x-forwarded-proto': 'https' }
  for (const [base, settings, extra] of [
    ['http://pets.example/v1', {}, forwarded],
    ['https://shelter.example/v1', { BASE_URL: '', TRUST_PROXY: '127.0.0.1' }, forwarded],
  ] as const) {
    const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, settings })
    const headers = { 'idempotency-key': 'abc', 'x-forwarded-for': '192.0.2.1', ...extra }
    const adopter = { name: 'A', email: 'a@example.org' }
    for (const [path, body] of [
      ['/pets', REX],
      ['/categories', { name: 'Goats' }],
      ['/store/orders', { petId: 1, adopter }],
    ] as const) {
      for (const replayed of [undefined, 'true']) {
        const answer = await app.post(`/v1${path}`, body, headers)
        assert.deepEqual([answer.status, answer.headers['idempotent-replayed']], [201, replayed], answer.text)
        assert.equal(answer.headers.location, `${base}${path}/${answer.body.id}`)
      }
    }
  }
})

test('an Idempotency-Key lasts 24 hours, survives a restart, and is then removed', async (t) => {
  const app = await startApp(t)
  const headers = { 'idempotency-key': 'abc' }
  await app.post('/v1/pets', REX, headers)
  await app.stop()
  const again = await startApp(t, { databaseUrl: app.databaseUrl, now: app.clock.now + DAY_MS - 1 })
  const { authorization } = { authorization: `Bearer ${app.key}` }
  const send = () => again.post('/v1/pets', REX, { ...headers, authorization })
  const countStored = async () =>
    (await again.service.context.db.selectFrom('idempotency').select('scope').execute()).length

  assert.deepEqual((await send()).body.id, 1)
  again.clock.now += 1
  assert.deepEqual((await send()).body.id, 2, 'over')
  assert.equal(await countStored(), 1)
  again.clock.now += DAY_MS
  await doJobs(again.service.context)
  assert.equal(await countStored(), 0)
})

test('an Idempotency-Key with another body: 422; it applies to one API key, method and address', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' }
  const patch = (id: number, body: unknown, more = {}) =>
    app.request(`/v1/pets/${id}`, { method: 'PATCH', body, headers: { ...headers, ...more } })
  const { body: first } = await app.post('/v1/pets', REX, headers)
  const other = await app.post('/v1/pets', { ...REX, name: 'Max' }, headers)
  assertError(other, 422, 'idempotency_key_reused', 'another body')

  const authorization = `Bearer ${await makeKey(app.databaseUrl)}`
  assert.equal((await app.post('/v1/pets', REX, { ...headers, authorization })).body.id, first.id + 1)
  for (const id of [1, 2]) {
    const answer = await patch(id, { name: 'Max' })
    assert.deepEqual([answer.status, answer.body.id], [200, id])
    assert.equal(answer.headers['idempotent-replayed'], undefined)
  }
  const respelt = await app.post('/v1/%70ets?again', REX, headers)
  assert.deepEqual([respelt.status, respelt.body.id], [201, first.id])
  assert.equal((await app.get('/v1/pets?limit=100')).body.length, 2)
})

test('PATCH repeated after another change gets its first response again', async (t) => {
  const app = await startApp(t)
  const patch = (body: unknown, headers: Record<string, string> = {}) =>
    app.request('/v1/pets/1', {
      method: 'PATCH',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const { headers } = await app.post('/v1/pets', REX)
  const condition = { 'idempotency-key': 'k', 'if-match': String(headers.etag) }
  const first = await patch({ status: 'pending' }, condition)
  await patch({ status: 'sold' })

  const again = await patch({ status: 'pending' }, condition)

  assert.deepEqual([again.status, again.text, again.headers.etag], [200, first.text, first.headers.etag])
  assert.equal((await app.get('/v1/pets/1')).body.status, 'sold')
})

test('64 concurrent requests with one Idempotency-Key add one animal; all other responses are 409', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const send = () => app.post('/v1/pets', REX, { 'idempotency-key': 'k' })
  const answers = await Promise.all(Array.from({ length: 64 }, send))

  for (const answer of answers) {
    if (answer.status === 201) assert.equal(answer.body.id, 1)
    else assertError(answer, 409, 'idempotency_key_in_use', 'still running')
  }
  assert.ok(answers.some(({ status }) => status === 409) && answers.some(({ status }) => status === 201))
  assert.equal((await app.get('/v1/pets')).body.length, 1)
  assert.equal((await send()).headers['idempotent-replayed'], 'true')
})

test('a failed request leaves its Idempotency-Key unused', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const order = { petId: 1, adopter: { name: 'Ada', email: 'ada@example.org' } }
  const headers = { 'idempotency-key': 'k' }
  assertError(await app.post('/v1/store/orders', order, headers), 404, 'pet_not_found', 'before')
  assertError(
    await app.post('/v1/pets', { name: 'Rex', categoryId: 99 }, headers),
    400,
    'validation_failed',
    'no',
  )
  assert.equal((await app.post('/v1/pets', REX, headers)).status, 201)
  const placed = await app.post('/v1/store/orders', order, headers)
  assert.equal(placed.status, 201)
  assert.deepEqual((await app.post('/v1/store/orders', order, headers)).body, placed.body)
  const category = await app.post('/v1/categories', { name: 'Ferret' }, headers)
  assert.deepEqual((await app.post('/v1/categories', { name: 'Ferret' }, headers)).body, category.body)
})

test('an Idempotency-Key that is empty, too long, not visible ASCII or repeated gets 400', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  for (const key of [
    '',
    '""',
    '"abc',
    'a b',
    'x'.repeat(256),
    'caf\xe9',
    `"${'x'.repeat(256)}"`,
    ['a', 'b'],
  ]) {
    const answer = await app.post('/v1/pets', REX, { 'idempotency-key': key })
    assertError(answer, 400, 'invalid_parameter', String(key))
    assert.equal(answer.body.details[0].parameter, 'Idempotency-Key')
  }
  for (const key of ['x'.repeat(255), `"${'x'.repeat(255)}"`, '!~', 'a"b']) {
    assert.equal((await app.post('/v1/pets', REX, { 'idempotency-key': key })).status, 201, key)
  }
  assert.equal((await app.get('/v1/pets')).body.length, 3)
})
