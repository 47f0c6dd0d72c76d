import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Answer, assertError } from '../testing/client.ts'
import { startApp, type TestApp } from '../testing/start-app.ts'

const list = (...lines: string[]): string[] => lines.join('|').split('|')

/** Starts a service with one animal of each status and one without, and a key without limits. */
async function startFilled(t: TestContext): Promise<TestApp> {
  const app = await startApp(t, { key: { plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1e9 } } })
  for (const status of [undefined, 'available', 'pending', 'sold']) {
    await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status })
  }
  return app
}

async function assertInvalid({ get }: TestApp, query: string, problems: string[]): Promise<void> {
  const answer = await get(`/v1/pets?${query}`)
  assertError(answer, 400, 'invalid_parameter', query)
  const { details } = answer.body as { details: { parameter: string; code: string }[] }
  assert.deepEqual(
    details.map(({ parameter, code }) => `${parameter} ${code}`),
    problems,
    query,
  )
}

const idsOf = (answer: Answer): number[] => answer.body.map(({ id }: { id: number }) => id)

test('GET /v1/pets with a limit that is not a plain number from 1 to 100 gets 400', async (t) => {
  const app = await startFilled(t)
  for (const limit of list('0|101|-1|-100|1000|4294967297|9007199254740993|9223372036854775807')) {
    await assertInvalid(app, `limit=${limit}`, ['limit out_of_range'])
  }
  const digits = ['9223372036854775808', '-9223372036854775809', '18446744073709551621', '5'.repeat(500)]
  for (const limit of digits) {
    const answer = await app.get(`/v1/pets?limit=${limit}`)
    assertError(answer, 400, 'invalid_parameter', limit)
  }
  const spellings = list('|+5|%2B5|-0|00|05|010|5.|1.0|.5|5.5|1e1|1E1|0x10|0b1|0o7|5n|1_0')
  const texts = list('abc|NaN|Infinity|null|true|undefined|[5]|"5"|5,6|5;6|5%2C6|%35%|5%g1|%FF')
  const padded = ['%205', '5%20', '+5+', '5%00', '%005', '5%0A', '%095', '%EF%BB%BF5', '5%E2%80%8B']
  const digitsOfOthers = ['%D9%A5', '%EF%BC%95', '%E0%A5%AB', '%F0%9D%9F%93', '%C2%B2', '%E2%85%A4']
  for (const limit of [...spellings, ...texts, ...padded, ...digitsOfOthers]) {
    await assertInvalid(app, `limit=${limit}`, ['limit invalid_type'])
  }
  await assertInvalid(app, 'limit', ['limit invalid_type'])
  await assertInvalid(app, 'l%69mit=0', ['limit out_of_range'])
})

test('GET /v1/pets with a number not in plain decimal: 400 that says how to write it', async (t) => {
  const app = await startFilled(t)
  for (const query of ['limit=05', 'limit=%2B5', 'limit=00', 'id=07', 'categoryId=-0']) {
    const { details } = (await app.get(`/v1/pets?${query}`)).body
    assert.match(details[0].message, /without leading zeros/, query)
  }
  const quoted = await app.post('/v1/pets', { name: 'Rex', categoryId: '1' })
  const { pointer, code, message } = quoted.body.details[0]
  assert.deepEqual([pointer, code, message], ['/categoryId', 'invalid_type', 'This must be a whole number.'])
})

test('GET /v1/pets with ids beyond int64: 400 that also names all other problems', async (t) => {
  const app = await startFilled(t)
  const exact = Array.from({ length: 12 }, () => 'id=9007199254740993').join('&')
  assert.deepEqual((await app.get(`/v1/pets?${exact}`)).body, [])
  await assertInvalid(app, `${exact}&id=9223372036854775808`, ['id out_of_range'])
  await assertInvalid(app, `${exact}&id=-9223372036854775809&sort=w`, [
    'id out_of_range',
    'sort invalid_value',
  ])
  await assertInvalid(app, `${exact}&id=abc`, ['id invalid_type'])
  await assertInvalid(app, `${exact}&sort=id&sort=id`, ['sort invalid_value'])
  await assertInvalid(app, Array.from({ length: 101 }, () => 'id=9007199254740993').join('&'), [
    'id out_of_range',
  ])
  const bad = Array.from({ length: 20 }, (_, index) => `id=a${index}`).join('&')
  await assertInvalid(app, `${bad}&sort=w&limit=0`, [
    'limit out_of_range',
    'id invalid_type',
    'sort invalid_value',
  ])
})

test('GET /v1/pets with a repeated parameter gets 400', async (t) => {
  const app = await startFilled(t)
  for (const query of [
    'limit=5&limit=5',
    'limit=5&limit=6',
    'limit=5&limit',
    'limit=5&limi%74=5',
    'limit=0&a=1&limit=0',
  ]) {
    await assertInvalid(app, query, ['limit invalid_value'])
  }
  await assertInvalid(app, Array(500).fill('limit=5').join('&'), ['limit invalid_value'])
  await assertInvalid(app, 'status=sold&limit=5&status=available&limit=5', ['limit invalid_value'])
  for (const [name, value] of [
    ['sort', 'id'],
    ['near', '52.09,5.12'],
    ['within', '5'],
    ['q', 'rex'],
    ['goodWithCats', 'true'],
    ['hasPhotos', 'true'],
    ['bornAfter', '2024-01-01'],
    ['updatedSince', '2024-01-01T00:00:00Z'],
    ['fields', 'id'],
  ]) {
    await assertInvalid(app, `${name}=${value}&${name}=${value}`, [`${name} invalid_value`])
  }
})

test('GET /v1/pets with a repeated status returns the animals of each status, and no others', async (t) => {
  const app = await startFilled(t)
  const cases: [query: string, ids: number[]][] = [
    ['status=sold&status=sold', [4]],
    ['status=sold&status=available', [4, 2]],
    ['status=available&limit=1&status=sold', [4]],
    ['status=available&status=pending&status=sold', [4, 3, 2]],
    ['status=available&status=sold&categoryId=2', []],
  ]
  for (const [query, ids] of cases) assert.deepEqual(idsOf(await app.get(`/v1/pets?${query}`)), ids, query)
  await assertInvalid(app, 'status=sold&status=adopted', ['status invalid_value'])
  await assertInvalid(app, 'status=adopted&status=free', ['status invalid_value'])
  await assertInvalid(app, Array(4).fill('status=sold').join('&'), ['status out_of_range'])
})

test('GET /v1/pets with an unknown sort or value: 400 that names the allowed values', async (t) => {
  const app = await startFilled(t)
  for (const sort of ['', 'age,name', '-name', 'ID', '-distance', 'name ', 'relevance', '+id'])
    await assertInvalid(app, `sort=${encodeURIComponent(sort)}`, ['sort invalid_value'])
  await assertInvalid(app, 'sort=distance', ['sort invalid_value'])
  await assertInvalid(app, 'sort=name&id=1', ['sort invalid_value'])
  for (const filter of ['coat=fluffy', 'age=old', 'sex=x', 'size=tiny', 'hasPhotos=yes', 'declawed=1'])
    await assertInvalid(app, filter, [`${filter.split('=')[0]} invalid_value`])
  const { details } = (await app.get('/v1/pets?size=small&size=tiny')).body
  assert.match(details[0].message, /small, medium, large/)
})

test('GET /v1/pets with an unknown status: 400 that names every problem', async (t) => {
  const app = await startFilled(t)
  const others = list(
    '|adopted|Available|SOLD|available,sold|+sold|sold+|%20sold|sold%00|sold%0A|s%C3%B6ld|%FF|%g1',
    'null|undefined|__proto__|constructor|["sold"]',
    "sold'--",
  )
  for (const status of [...others, 'a'.repeat(8_000)]) {
    await assertInvalid(app, `status=${status}`, ['status invalid_value'])
  }
  await assertInvalid(app, 'status', ['status invalid_value'])
  await assertInvalid(app, 'limit=0&status=adopted', ['limit out_of_range', 'status invalid_value'])
  await assertInvalid(app, 'status=&limit=', ['limit invalid_type', 'status invalid_value'])
})

test('GET /v1/pets ignores unknown parameters', async (t) => {
  const { get } = await startFilled(t)
  const unknown = list(
    '[]=5|[limit]=0|ids[]=3|limit]=0|limit.a=0|limit%00=0|limit%20=0|Limit=0|LIMIT=0|page=0|filter[status]=x',
  )
  const odd = list(
    '=|&|&&=&|?|=5|%g1=%g1|%FF|__proto__=1|__proto__[limit]=0|constructor=1|toString|a=1&a=2',
    'limit;=0',
  )
  for (const query of [
    '',
    ...unknown,
    ...odd,
    Array.from({ length: 1_500 }, (_, index) => `a${index}`).join('&'),
  ]) {
    const answer = await get(`/v1/pets?${query}`)
    assert.equal(answer.status, 200, query)
    assert.deepEqual(idsOf(answer), [4, 3, 2, 1], query)
  }
})

test('GET /v1/pets with a parameter in brackets: 400 that says how to write it', async (t) => {
  const app = await startFilled(t)
  for (const name of list(
    'id[]|id[0]|id[a]|id[|id[][]|limit[]|limit[0]|status[]|sort[]|cursor[]|categoryId[]|breed[]|q[]|near[0]',
  ))
    await assertInvalid(app, `${name}=3`, [`${name} invalid_value`])
  await assertInvalid(app, 'id%5B%5D=3', ['id[] invalid_value'])
  await assertInvalid(app, 'id[]=1&id[]=2&limit=0', ['limit out_of_range', 'id[] invalid_value'])
  const { details } = (await app.get('/v1/pets?id[]=3')).body
  assert.match(details[0].message, /id=1&id=2/)
  assertError(await app.get('/v1/store/orders?petId[]=1'), 400, 'invalid_parameter', 'orders')
})

test('GET /v1/pets accepts limit and status in every percent-encoding', async (t) => {
  const { get } = await startFilled(t)
  const cases: [query: string, ids: number[]][] = [
    ['limit=1', [4]],
    ['limit=2', [4, 3]],
    ['limit=%32', [4, 3]],
    ['limit=%31%30%30', [4, 3, 2, 1]],
    ['l%69mit=2', [4, 3]],
    ['limit=100', [4, 3, 2, 1]],
    ['status=sold', [4]],
    ['status=%73old', [4]],
    ['status=available&limit=1', [2]],
    ['limit=2&unknown=%g1', [4, 3]],
    ['?limit=2', [4, 3, 2, 1]],
  ]
  for (const [query, ids] of cases) assert.deepEqual(idsOf(await get(`/v1/pets?${query}`)), ids, query)
})

test('GET /v1/pets/{petId} with an id that is not a plain int64 gets 404', async (t) => {
  const { get } = await startFilled(t)
  const numbers = list('0|-1|5|-0|00|01|001|+1|1.|1.0|.1|1e0|1e3|1E0|0x1|0b1|1n|1_|1,|1;2')
  const large = list(
    '9007199254740993|9223372036854775807|9223372036854775808|-9223372036854775808|-9223372036854775809',
    '4294967297|18446744073709551617|340282366920938463463374607431768211457',
  )
  const long = ['1'.repeat(500), `${'0'.repeat(500)}1`]
  const encoded = list('%201|1%20|%2B1|%2D1|1%00|%001|1%0A|%091|1%2F|%2F1|1%3F|1%23|%EF%BB%BF1|1%2E0')
  const digitsOfOthers = ['%D9%A1', '%EF%BC%91', '%E0%A5%A7', '%F0%9D%9F%8F', '%C2%B9', '%E2%91%A0']
  const texts = list(
    'abc|null|undefined|NaN|Infinity|true|__proto__|constructor|*|:petId',
    "1'--",
    '[1]|"1"|%7B%7D|%2531',
  )
  for (const petId of [...numbers, ...large, ...long, ...encoded, ...digitsOfOthers, ...texts]) {
    const answer = await get(`/v1/pets/${petId}`)
    assertError(answer, 404, 'pet_not_found', petId)
    assert.equal(answer.headers.sunset, 'Thu, 05 Dec 2030 00:00:00 GMT', petId)
  }
  for (const petId of ['1', '%31']) assert.equal((await get(`/v1/pets/${petId}`)).body.id, 1, petId)
})

test('an address with invalid percent-encoding gets 400', async (t) => {
  const { get, request } = await startFilled(t)
  for (const path of list('%|%1|%g1|%1g|%%31|1%|%ff|%c3|%c0%af|%ed%a0%80|%u0031').map(
    (end) => `/v1/pets/${end}`,
  )) {
    assertError(await get(path), 400, 'bad_request', path)
    assertError(await get(path, { authorization: undefined }), 401, 'missing_api_key', path)
  }
  for (const path of ['/v1/%g1', '/v1/pets%g1', '/v1/%c3/pets', '/%76%31/%g1']) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      assertError(await request(path, { method }), 400, 'bad_request', `${method} ${path}`)
    }
  }
  assertError(await get('/%g1'), 400, 'bad_request', 'outside', false)
})
