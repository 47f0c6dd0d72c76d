import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertError } from '../testing/client.ts'
import { runInStore } from '../testing/copies.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import { int64ToNumber, parseInt64, UNSAFE_INT64 } from './int64.ts'

const [MIN, MAX] = [-(2n ** 63n), 2n ** 63n - 1n]
const LARGEST_ID = '9007199254740991'
/** Valid ids that match nothing. As a JavaScript number, most of them would be rounded. */
const UNSAFE = [
  ...['9007199254740992', '9007199254740993', '9007199254740995', '9223372036854774784', `${MAX}`],
  ...['-9007199254740992', '-9007199254740993', `${MIN}`],
]
const BEYOND = [`${MAX + 1n}`, `${MIN - 1n}`, '9999999999999999999']
const RANGE = 'This must be from -9223372036854775808 to 9223372036854775807.'

const ADOPTER = { name: 'Ada', email: 'ada@example.org' }

/** Starts a service whose only category has the largest id. */
async function startWithLargest(t: Parameters<typeof startApp>[0]): Promise<TestApp> {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await runInStore(
    app.databaseUrl,
    `insert into category (id, name, folded_name) values (${LARGEST_ID}, 'Large', 'large')`,
  )
  return app
}

test('int64ToNumber and parseInt64 return integers up to 2^53 - 1 exactly, and never round a larger one', () => {
  const integers = fc.oneof(
    fc.bigInt({ min: MIN - 10n, max: MAX + 10n }),
    ...[-(2n ** 53n), 2n ** 53n, MIN, MAX].map((edge) => fc.bigInt({ min: edge - 3n, max: edge + 3n })),
  )
  fc.assert(
    fc.property(integers, (integer) => {
      const isSafe = integer > -(2n ** 53n) && integer < 2n ** 53n
      const isInt64 = integer >= MIN && integer <= MAX
      const sign = integer < 0n ? -1 : 1
      const other = sign * (isInt64 ? UNSAFE_INT64 : Number.POSITIVE_INFINITY)
      assert.equal(int64ToNumber(integer), isSafe ? Number(integer) : other)
      assert.equal(parseInt64(String(integer)), isInt64 ? int64ToNumber(integer) : undefined)
    }),
  )
})

test('the largest safe id is exact in the path, the query and the body', async (t) => {
  const { get, post } = await startWithLargest(t)
  assert.match((await get(`/v1/categories/${LARGEST_ID}`)).text, new RegExp(`"id":${LARGEST_ID}[,}]`))
  for (const json of [LARGEST_ID, `${LARGEST_ID}.0`, `${LARGEST_ID}0e-1`]) {
    const added = await post('/v1/pets', `{"name":"Rex","categoryId":${json}}`)
    assert.equal(added.status, 201, added.text)
    assert.match(added.text, new RegExp(`"categoryId":${LARGEST_ID}[,}]`))
  }
  assert.equal((await get(`/v1/pets?categoryId=${LARGEST_ID}`)).body.length, 3)
  assert.equal((await get('/v1/pets?categoryId=9007199254740990')).body.length, 0)
})

test('an id beyond 2^53 - 1 or beyond int64 in a path gets 404', async (t) => {
  const { get, patch, delete: remove } = await startWithLargest(t)
  const codes = {
    pets: 'pet_not_found',
    categories: 'category_not_found',
    organizations: 'organization_not_found',
    breeds: 'breed_not_found',
    'store/orders': 'order_not_found',
    applications: 'application_not_found',
  }
  for (const id of [...UNSAFE, ...BEYOND]) {
    for (const [path, code] of Object.entries(codes)) {
      assertError(await get(`/v1/${path}/${id}`), 404, code, `${path}/${id}`)
    }
    assertError(await patch(`/v1/pets/${id}`, { name: 'Max' }), 404, 'pet_not_found', id)
    assertError(await remove(`/v1/categories/${id}`), 404, 'category_not_found', id)
  }
})

test('an id in a query: beyond 2^53 - 1 it matches nothing, beyond int64 it gets 400', async (t) => {
  const { get, post } = await startWithLargest(t)
  await post('/v1/pets', `{"name":"Rex","categoryId":${LARGEST_ID}}`)
  const parameters = ['pets?id', 'pets?categoryId', 'pets?organizationId', 'pets?q=rex&categoryId']
  const lists = [...parameters, 'breeds?categoryId', 'store/orders?petId', 'applications?petId']
  for (const list of lists) {
    const [parameter = ''] = /\w+$/.exec(list) ?? []
    for (const id of UNSAFE) assert.deepEqual((await get(`/v1/${list}=${id}`)).body, [], `${list}=${id}`)
    for (const id of BEYOND) {
      const answer = await get(`/v1/${list}=${id}`)
      assertError(answer, 400, 'invalid_parameter', `${list}=${id}`)
      assert.deepEqual(answer.body.details, [{ parameter, code: 'out_of_range', message: RANGE }])
    }
  }
  for (const id of UNSAFE) {
    assert.deepEqual(
      (await get(`/v1/pets?id=1&id=${id}`)).body.map((pet: { id: number }) => pet.id),
      [1],
    )
    const { overall } = (await get(`/v1/inventory?organizationId=${id}`)).body
    assert.deepEqual(overall, { available: 0, pending: 0, sold: 0, unlisted: 0 }, id)
  }
})

test('an id in a body: beyond 2^53 - 1 it is unknown (400 or 404), beyond int64 it gets 400', async (t) => {
  const { post, patch } = await startWithLargest(t)
  await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
  const applicant = { name: 'Ada', email: 'ada@example.org' }
  for (const id of UNSAFE) {
    const unknown = [
      [await post('/v1/pets', `{"name":"Rex","categoryId":${id}}`), '/categoryId', 'unknown_category'],
      [await patch('/v1/pets/1', `{"categoryId":${id}}`), '/categoryId', 'unknown_category'],
      [await post('/v1/breeds', `{"name":"Lap","categoryId":${id}}`), '/categoryId', 'unknown_category'],
      [
        await post('/v1/pets', `{"name":"Rex","categoryId":1,"organizationId":${id}}`),
        ...['/organizationId', 'unknown_organization'],
      ],
    ] as const
    for (const [answer, pointer, code] of unknown) {
      assertError(answer, 400, 'validation_failed', `${pointer} ${id}`)
      const [detail] = answer.body.details
      assert.deepEqual([detail.pointer, detail.code], [pointer, code], answer.text)
    }
    const order = await post('/v1/store/orders', `{"petId":${id},"adopter":${JSON.stringify(ADOPTER)}}`)
    assertError(order, 404, 'pet_not_found', id)
    const sent = await post('/v1/applications', `{"petId":${id},"applicant":${JSON.stringify(applicant)}}`)
    assertError(sent, 404, 'pet_not_found', id)
    // Integers that are not ids have separate limits.
    const heavy = await post('/v1/pets', `{"name":"Rex","categoryId":1,"weightGrams":${id}}`)
    assert.match(heavy.body.details[0].message, id.startsWith('-') ? /at least/ : /at most/, id)
  }
  for (const id of BEYOND) {
    for (const member of ['categoryId', 'organizationId', 'weightGrams']) {
      const others = member === 'categoryId' ? '' : '"categoryId":1,'
      const { body } = await post('/v1/pets', `{"name":"Rex",${others}"${member}":${id}}`)
      const detail = { pointer: `/${member}`, code: 'out_of_range', message: RANGE }
      assert.deepEqual(body.details, [detail], `${member} ${id}`)
    }
  }
})
