import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLANS } from './plans.ts'
import { makeKey, startApp } from './testing/start-app.ts'

// The contract (the interface specification), section by section. Each test name begins with its section.

const UNLIMITED = { plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } } as const
const REX = { name: 'Rex', categoryId: 1 }
const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

test('1. every operation is under /v1 and answers with application/json', async (t) => {
  const { get, post } = await startApp(t)
  const created = await post('/v1/pets', REX)

  for (const answer of [created, await get('/v1/pets'), await get('/v1/pets/1')]) {
    assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
  }
  assert.equal((await get('/pets')).status, 404)
})

test('2.1 NewPet requires name and categoryId, but not status', async (t) => {
  const { post } = await startApp(t)

  assert.equal((await post('/v1/pets', REX)).status, 201)
  assert.equal((await post('/v1/pets', { ...REX, status: 'pending' })).status, 201)
  const refused = await post('/v1/pets', {})
  assert.equal(refused.status, 400)
  assert.deepEqual(
    refused.body.details.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
    [
      ['/name', 'missing'],
      ['/categoryId', 'missing'],
    ],
  )
})

test('2.1 NewPet without a status: the status is absent, because it has no default', async (t) => {
  const { get, post } = await startApp(t)
  const created = await post('/v1/pets', REX)

  assert.deepEqual(created.body, { id: 1, ...REX })
  assert.deepEqual((await get('/v1/pets/1')).body, { id: 1, ...REX })
  assert.deepEqual((await get('/v1/pets')).body, [{ id: 1, ...REX }])
  for (const status of ['available', 'pending', 'sold']) {
    assert.deepEqual((await get(`/v1/pets?status=${status}`)).body, [])
  }
})

test('2.2 Pet has all members of NewPet and a unique id, which the service assigns', async (t) => {
  const { post } = await startApp(t)
  const first = await post('/v1/pets', { ...REX, status: 'available', id: 77 })
  const second = await post('/v1/pets', { ...REX, name: 'Maunzi', categoryId: 2 })

  assert.deepEqual(first.body, { id: 1, ...REX, status: 'available' })
  assert.deepEqual(second.body, { id: 2, name: 'Maunzi', categoryId: 2 })
})

test('2.2 Pets is a JSON array of Pet, newest first', async (t) => {
  const { get, post } = await startApp(t)
  for (const name of ['a', 'b', 'c']) await post('/v1/pets', { ...REX, name })

  const names = (await get('/v1/pets')).body.map(({ name }: { name: string }) => name)

  assert.deepEqual(names, ['c', 'b', 'a'])
})

test('2.3 PetStatus is exactly one of available, pending and sold', async (t) => {
  const { get, post } = await startApp(t)
  for (const status of ['available', 'pending', 'sold']) {
    assert.equal((await post('/v1/pets', { ...REX, status })).body.status, status)
  }
  for (const status of ['adopted', 'Available', ' sold', '']) {
    const refused = await post('/v1/pets', { ...REX, status })
    assert.equal(refused.status, 400, status)
    assert.equal(refused.body.details[0].pointer, '/status')
    assert.equal((await get(`/v1/pets?status=${encodeURIComponent(status)}`)).status, 400, status)
  }
})

test('2.4 Error has code, message and status, which equals the HTTP status', async (t) => {
  const { get, request } = await startApp(t)
  const answers = [
    await get('/v1/pets/9'),
    await get('/v1/pets?limit=0'),
    await get('/v1/none'),
    await get('/v1/pets', { authorization: undefined }),
    await request('/v1/pets', { method: 'DELETE' }),
  ]
  for (const { status, body } of answers) {
    assert.equal(body.status, status)
    assert.match(body.code, /^[a-z_]+$/)
    assert.ok(body.message.length > 10)
    assert.deepEqual(
      Object.keys(body).filter((name) => name !== 'details'),
      ['code', 'message', 'status'],
    )
    assert.equal('details' in body, status === 400)
  }
})

test('2.5 Category: categoryId must be one of the eight categories of a new store', async (t) => {
  const { post } = await startApp(t)
  for (let categoryId = 1; categoryId <= 8; categoryId += 1) {
    assert.equal((await post('/v1/pets', { ...REX, categoryId })).status, 201)
  }
  for (const categoryId of [0, 9, -1, 2 ** 53 - 1]) {
    const refused = await post('/v1/pets', { ...REX, categoryId })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.code, 'validation_failed')
    assert.equal(refused.body.details[0].code, 'unknown_category')
  }
})

test('4.1 listPets accepts a limit from 1 to 100, which is 20 by default', async (t) => {
  const { get, post } = await startApp(t, { key: UNLIMITED })
  for (let count = 0; count < 105; count += 1) await post('/v1/pets', REX)

  assert.equal((await get('/v1/pets')).body.length, 20)
  for (const limit of [1, 7, 100]) assert.equal((await get(`/v1/pets?limit=${limit}`)).body.length, limit)
  for (const limit of ['0', '101', '-1', '1e1', 'abc', '']) {
    const refused = await get(`/v1/pets?limit=${limit}`)
    assert.equal(refused.status, 400, limit)
    assert.equal(refused.body.code, 'invalid_parameter')
    assert.equal(refused.body.details[0].parameter, 'limit')
  }
})

test('4.1 listPets filters by availability status', async (t) => {
  const { get, post } = await startApp(t)
  for (const status of ['available', 'sold', 'available']) await post('/v1/pets', { ...REX, status })

  const ids = (await get('/v1/pets?status=available')).body.map(({ id }: { id: number }) => id)

  assert.deepEqual(ids, [3, 1])
})

test('4.1 listPets right after createPet includes the new animal', async (t) => {
  const { get, post } = await startApp(t, { key: UNLIMITED })
  for (let count = 1; count <= 50; count += 1) {
    await post('/v1/pets', REX)
    assert.equal((await get('/v1/pets?limit=1')).body[0].id, count)
  }
})

test('4.2 createPet returns 201 with the animal; missing or invalid members get 400, and nothing is stored', async (t) => {
  const { get, post } = await startApp(t)

  assert.equal((await post('/v1/pets', REX)).status, 201)
  for (const body of [{ name: 'Rex' }, { categoryId: 1 }, { ...REX, name: 5 }, { ...REX, status: null }]) {
    assert.equal((await post('/v1/pets', body)).status, 400)
  }
  assert.equal((await get('/v1/pets')).body.length, 1)
})

test('4.3 getPet returns 200 with the animal; an unknown or malformed id gets 404', async (t) => {
  const { get, post } = await startApp(t)
  await post('/v1/pets', REX)

  assert.deepEqual((await get('/v1/pets/1')).body, { id: 1, ...REX })
  for (const id of ['2', '0', '-1', 'x', '01', '1.0', '9007199254740993', '99999999999999999999']) {
    const answer = await get(`/v1/pets/${id}`)
    assert.deepEqual([answer.status, answer.body.code], [404, 'pet_not_found'], id)
  }
})

test('5. every operation without a valid bearer key returns 401 with an Error body', async (t) => {
  const { key, request } = await startApp(t)
  const wrong = [undefined, 'Bearer', `Basic ${key}`, `Bearer ${key}x`, `Bearer ${key.slice(0, -1)}`, key]
  for (const authorization of wrong) {
    for (const [method, path] of [
      ['GET', '/v1/pets'],
      ['POST', '/v1/pets'],
      ['GET', '/v1/pets/1'],
    ] as const) {
      const answer = await request(path, { method, headers: { authorization } })
      assert.equal(answer.status, 401, `${authorization}`)
      assert.match(answer.body.code, /^(missing|invalid)_api_key$/)
      assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer realm="adoptable"/)
    }
  }
})

test('5. Authorization: the scheme is case-insensitive; a key in the query is ignored', async (t) => {
  const { key, get } = await startApp(t)

  for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
    assert.equal((await get('/v1/pets', { authorization: `${scheme} ${key}` })).status, 200)
  }
  const inUrl = await get(`/v1/pets?api_key=${key}&access_token=${key}`, { authorization: undefined })
  assert.deepEqual([inUrl.status, inUrl.body.code], [401, 'missing_api_key'])
})

test('5. a staging key in production gets 401', async (t) => {
  const { databaseUrl, get } = await startApp(t)
  const staging = await makeKey(databaseUrl, {}, 'staging')

  assert.equal((await get('/v1/pets', { authorization: `Bearer ${staging}` })).status, 401)
})

for (const [plan, perMinute] of [
  ['free', 60],
  ['pro', 300],
  ['business', 1_000],
] as const) {
  test(`8.1 ${plan} allows ${perMinute} requests per minute`, async (t) => {
    const { clock, get } = await startApp(t, { key: { plan } })
    for (let minute = 0; minute < 2; minute += 1) {
      const answers = await Promise.all(Array.from({ length: perMinute + 5 }, () => get('/v1/pets')))
      assert.equal(answers.filter(({ status }) => status === 200).length, perMinute)
      clock.now += 60_000
    }
  })
}

test('8.1 free, pro and business allow 1,000, 10,000 and 100,000 requests per day', async (t) => {
  const { clock, get } = await startApp(t, { key: { plan: 'free' } })
  const statuses = new Map<number, number>()
  for (let sent = 0; sent < 1_010; sent += 1) {
    const { status } = await get('/v1/pets')
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    clock.now += 1_000
  }

  assert.deepEqual(
    [...statuses],
    [
      [200, 1_000],
      [429, 10],
    ],
  )
  assert.equal((await get('/v1/pets')).headers['x-ratelimit-limit'], '1000')
  assert.deepEqual([PLANS.pro.perDay, PLANS.business.perDay], [10_000, 100_000])
})

test('8.1 enterprise gives each key its own limits', async (t) => {
  const { get } = await startApp(t, { key: { plan: 'enterprise', limits: { perMinute: 3, perDay: 5 } } })
  const statuses = []
  for (let sent = 0; sent < 4; sent += 1) statuses.push((await get('/v1/pets')).status)

  assert.deepEqual(statuses, [200, 200, 200, 429])
})

test('8.2 every response has the three rate-limit headers, whatever its status', async (t) => {
  const { get, post, request } = await startApp(t, { key: { plan: 'free' } })
  const answers = [
    await get('/v1/pets'),
    await post('/v1/pets', REX),
    await post('/v1/pets', {}),
    await get('/v1/pets/99'),
    await get('/v1/none'),
    await get('/v1/pets/%zz'),
    await get('/v1/pets', { authorization: undefined }),
    await request('/v1/pets', { method: 'PUT' }),
    await request('/v1/pets', { method: 'HEAD' }),
    await request('/v1/pets', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }),
    await request('/v1/pets', { method: 'POST', body: 'x'.repeat(70_000) }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 201, 400, 404, 404, 400, 401, 405, 200, 415, 413],
  )
  for (const { headers, status } of answers) {
    for (const name of RATE_HEADERS) assert.match(String(headers[name]), /^\d+$/, `${name} of the ${status}`)
  }
})

test('8.2 within a window: Limit and Reset stay the same, Remaining falls by one per request', async (t) => {
  const { clock, get } = await startApp(t, { key: { plan: 'free' } })
  const opened = clock.now
  for (let sent = 1; sent <= 60; sent += 1) {
    const { headers } = await get('/v1/pets')
    assert.deepEqual(
      RATE_HEADERS.map((name) => headers[name]),
      ['60', String(60 - sent), String(Math.ceil(opened / 1_000) + 60)],
    )
    clock.now += 900
  }
})

test('8.3 a request over the limit gets 429 with an Error body, Retry-After and Remaining 0', async (t) => {
  const { clock, get } = await startApp(t, { key: { plan: 'free' } })
  for (let sent = 0; sent < 60; sent += 1) await get('/v1/pets')
  clock.now += 12_300

  const refused = await get('/v1/pets')

  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limit_exceeded'])
  assert.equal(refused.headers['retry-after'], '48')
  assert.equal(refused.headers['x-ratelimit-remaining'], '0')
  clock.now += 48_000
  assert.equal((await get('/v1/pets')).status, 200)
})

test('8.3 390 concurrent requests with a limit of 300: exactly 300 succeed', async (t) => {
  const { get } = await startApp(t, { key: { plan: 'pro' } })

  const answers = await Promise.all(Array.from({ length: 390 }, () => get('/v1/pets')))

  assert.equal(answers.filter(({ status }) => status === 200).length, 300)
  const remaining = answers
    .filter(({ status }) => status === 200)
    .map(({ headers }) => headers['x-ratelimit-remaining'])
  assert.equal(new Set(remaining).size, 300, 'each response has a different Remaining')
})

test('8.3 a key that keeps sending after 100 refusals is banned for 900 seconds; other keys are not', async (t) => {
  const { clock, databaseUrl, get } = await startApp(t, { key: { plan: 'free' } })
  const other = { authorization: `Bearer ${await makeKey(databaseUrl, { plan: 'free' })}` }
  const codes = []
  for (let sent = 0; sent < 162; sent += 1) codes.push((await get('/v1/pets')).body.code)

  assert.equal(codes.filter((code) => code === undefined).length, 60)
  assert.equal(codes.filter((code) => code === 'rate_limit_exceeded').length, 100)
  const banned = await get('/v1/pets')
  assert.deepEqual([banned.status, banned.body.code], [429, 'api_key_banned'])
  assert.equal(banned.headers['retry-after'], '900')
  assert.equal(banned.headers['x-ratelimit-reset'], String(clock.now / 1_000 + 900))
  assert.equal((await get('/v1/pets', other)).status, 200)
  clock.now += 900_000
  assert.equal((await get('/v1/pets')).status, 200)
})

test('9. openapi.json has version 1.0.0 and both server addresses with /v1', async (t) => {
  const { get } = await startApp(t, { settings: { STAGING_BASE_URL: 'https://staging.pets.example/v1' } })
  const { info, servers } = (await get('/openapi.json')).body

  assert.equal(info.version, '1.0.0')
  assert.deepEqual(
    servers.map(({ url }: { url: string }) => url),
    ['http://pets.example/v1', 'https://staging.pets.example/v1'],
  )
})

test('9. GET /pets/{petId}: every response has the Deprecation, Sunset and Link headers', async (t) => {
  const { get, post, request } = await startApp(t)
  await post('/v1/pets', REX)
  const answers = [
    await get('/v1/pets/1'),
    await get('/v1/pets/2'),
    await get('/v1/pets/1', { authorization: undefined }),
    await get('/v1/pets/%zz'),
    await get('/v1/p%65ts/%zz?limit=1'),
    await get('/v1/pets/%zz', { authorization: undefined }),
    await request('/v1/pets/%zz', { method: 'HEAD' }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 401, 400, 400, 401, 400],
  )
  for (const { headers } of answers) {
    assert.equal(headers.deprecation, `@${Date.UTC(2026, 10, 20) / 1_000}`)
    assert.equal(headers.sunset, 'Thu, 05 Dec 2030 00:00:00 GMT')
    assert.equal(headers.link, '<http://pets.example/v1/pets>; rel="successor-version"')
  }
  for (const { headers } of [
    await get('/v1/pets'),
    await get('/v1/pets/%zz/history'),
    await get('/v1/categories/%zz'),
    await request('/v1/pets/%zz', { method: 'DELETE' }),
  ]) {
    assert.equal(headers.deprecation, undefined)
  }
})

test('9. GET /pets/{petId} from 5 December 2030, 00:00 UTC returns 410, without a restart', async (t) => {
  const sunset = Date.UTC(2030, 11, 5)
  const { clock, get, post } = await startApp(t, { now: sunset - 1 })
  await post('/v1/pets', REX)
  assert.equal((await get('/v1/pets/1')).status, 200)
  clock.now = sunset

  const gone = await get('/v1/pets/1')

  assert.deepEqual([gone.status, gone.body.code], [410, 'endpoint_removed'])
  assert.equal(gone.headers.sunset, 'Thu, 05 Dec 2030 00:00:00 GMT')
  assert.ok(gone.headers['x-ratelimit-remaining'])
  assert.equal((await get('/v1/pets/1', { authorization: undefined })).status, 401)
  assert.equal((await get('/v1/pets')).status, 200)
})
