import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileOf } from '../db/store-url.ts'
import { assertError } from '../testing/client.ts'
import { doJobs } from '../testing/jobs.ts'
import { makeKey, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const ADOPTER = {
  name: 'Ada Adopter',
  email: 'ada@example.org',
  phone: '+49 30 1',
  message: 'We have\na garden.',
}

async function addPet({ post }: TestApp, status?: string): Promise<number> {
  return (await post('/v1/pets', { name: 'Rex', categoryId: 1, status })).body.id
}

function client(app: TestApp, key = app.key) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return {
    place: (petId: unknown, adopter: unknown = ADOPTER) =>
      app.request('/v1/store/orders', { method: 'POST', headers, body: { petId, adopter } }),
    decide: (id: unknown, status: unknown) =>
      app.request(`/v1/store/orders/${id}`, { method: 'PATCH', headers, body: { status } }),
    cancel: (id: unknown) => app.request(`/v1/store/orders/${id}`, { method: 'DELETE', headers }),
    get: (path: string) => app.get(path, headers),
  }
}

test('placing, approving and completing an order: the animal goes from available to pending to sold', async (t) => {
  const app = await startApp(t)
  const { place, decide, get } = client(app)
  const petId = await addPet(app, 'available')
  const placed = { id: 1, petId, status: 'placed', adopter: ADOPTER, placedAt: '2026-12-01T00:00:00.000Z' }

  const answer = await place(petId)
  assert.deepEqual([answer.status, answer.body], [201, placed])
  assert.equal((await get(`/v1/pets/${petId}`)).body.status, 'pending')
  app.clock.now += 60_000
  const approved = { ...placed, status: 'approved', decidedAt: '2026-12-01T00:01:00.000Z' }
  assert.deepEqual((await decide(1, 'approved')).body, approved)
  assert.deepEqual((await decide(1, 'approved')).body, approved, 'the same status again changes nothing')
  app.clock.now += 60_000
  const completed = await decide(1, 'completed')
  assert.deepEqual(completed.body, { ...placed, status: 'completed', decidedAt: '2026-12-01T00:02:00.000Z' })

  assert.equal((await get(`/v1/pets/${petId}`)).body.status, 'sold')
  assert.deepEqual((await get('/v1/store/orders/1')).body, completed.body)
  assert.deepEqual(
    (await get(`/v1/pets/${petId}/history`)).body.map(({ changes }: { changes: object }) => changes),
    [{ status: { from: 'pending', to: 'sold' } }, { status: { from: 'available', to: 'pending' } }],
  )
})

test('cancelling an order by DELETE or PATCH makes the animal available, and it can be ordered again', async (t) => {
  const app = await startApp(t)
  const { place, decide, cancel, get } = client(app)
  const petId = await addPet(app, 'available')

  await place(petId)
  const removed = await cancel(1)
  assert.deepEqual([removed.status, removed.text], [204, ''])
  assert.equal((await get('/v1/store/orders/1')).body.status, 'cancelled')
  assert.equal((await get(`/v1/pets/${petId}`)).body.status, 'available')
  assert.equal((await place(petId)).body.id, 2)
  await decide(2, 'approved')
  assert.equal((await decide(2, 'cancelled')).body.status, 'cancelled')
  assert.equal((await place(petId)).status, 201)
})

test('changing a closed order: 409 order_closed; skipping a status: 409 that names the allowed statuses', async (t) => {
  const app = await startApp(t)
  const { place, decide, cancel, get } = client(app)
  const petId = await addPet(app, 'available')
  await place(petId)
  const early = await decide(1, 'completed')
  assertError(early, 409, 'invalid_status_transition', 'placed to completed')
  assert.match(early.body.message, /approved or cancelled/)
  await decide(1, 'approved')
  assertError(await decide(1, 'placed'), 409, 'invalid_status_transition', 'approved to placed')
  await decide(1, 'completed')

  for (const status of ['placed', 'approved', 'cancelled']) {
    assertError(await decide(1, status), 409, 'order_closed', status)
  }
  assertError(await cancel(1), 409, 'order_closed', 'DELETE')
  assert.equal((await decide(1, 'completed')).status, 200, 'the same status again changes nothing')
  assert.equal((await get(`/v1/pets/${petId}`)).body.status, 'sold')
})

test('64 concurrent orders for one animal: one gets 201, 63 get 409', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const petId = await addPet(app, 'available')
  const adopters = Array.from({ length: 64 }, (_, place) => ({ ...ADOPTER, name: `Adopter ${place}` }))

  const answers = await Promise.all(adopters.map((adopter) => client(app).place(petId, adopter)))

  const winners = answers.filter(({ status }) => status === 201)
  assert.equal(winners.length, 1)
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    assertError(answer, 409, 'pet_not_available', 'the other orders')
  }
  assert.deepEqual((await app.get('/v1/store/orders')).body, [winners[0]?.body])
})

test('8 concurrent cancellations of one order: one gets 204, seven get 409 order_closed', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  await client(app).place(await addPet(app, 'available'))
  const cancel = () => app.request('/v1/store/orders/1', { method: 'DELETE' })
  const answers = await Promise.all(Array.from({ length: 8 }, cancel))

  const others = answers.filter(({ status }) => status !== 204)
  assert.equal(others.length, 7)
  for (const answer of others) assertError(answer, 409, 'order_closed', 'DELETE')
})

test('ordering an unavailable animal: 409; ordering an unknown animal: 404', async (t) => {
  const app = await startApp(t)
  for (const status of [undefined, 'pending', 'sold']) {
    assertError(await client(app).place(await addPet(app, status)), 409, 'pet_not_available', String(status))
  }
  for (const id of [0, 77, -1, Number.MAX_SAFE_INTEGER]) {
    assertError(await client(app).place(id), 404, 'pet_not_found', String(id))
  }
  const exact = `{"petId": 9007199254740993, "adopter": ${JSON.stringify(ADOPTER)}}`
  assertError(await app.post('/v1/store/orders', exact), 404, 'pet_not_found', exact)
  assert.deepEqual((await app.get('/v1/store/orders')).body, [])
})

test('changing the status of an animal with an open order, or deleting it: 409 order_open', async (t) => {
  const app = await startApp(t)
  const { place, decide } = client(app)
  const petId = await addPet(app, 'available')
  const patch = (body: unknown) =>
    app.request(`/v1/pets/${petId}`, {
      method: 'PATCH',
      body,
      headers: { 'content-type': 'application/json' },
    })
  const remove = () => app.request(`/v1/pets/${petId}`, { method: 'DELETE' })
  await place(petId)

  for (const step of ['placed', 'approved']) {
    if (step !== 'placed') await decide(1, step)
    for (const status of ['available', 'sold']) {
      assertError(await patch({ status }), 409, 'order_open', `${step}, ${status}`)
    }
    assertError(await remove(), 409, 'order_open', step)
    assert.equal((await patch({ status: 'pending', name: `Max, ${step}` })).status, 200)
  }
  await decide(1, 'completed')
  assert.equal((await patch({ status: 'available' })).status, 200)
  assert.equal((await remove()).status, 204)
  assert.equal((await app.get('/v1/store/orders/1')).body.petId, petId, 'the order stays')
})

test('a write key can read and change only its own orders, and an admin key all orders', async (t) => {
  const app = await startApp(t)
  const other = client(app, await makeKey(app.databaseUrl))
  const admin = client(app, await makeKey(app.databaseUrl, { access: 'admin' }))
  await client(app).place(await addPet(app, 'available'))
  await other.place(await addPet(app, 'available'))
  const idsSeenBy = async ({ get }: typeof admin) =>
    (await get('/v1/store/orders')).body.map(({ id }: { id: number }) => id)

  assert.deepEqual(await idsSeenBy(client(app)), [1])
  assert.deepEqual(await idsSeenBy(other), [2])
  assert.deepEqual(await idsSeenBy(admin), [2, 1])
  assertError(await other.get('/v1/store/orders/1'), 404, 'order_not_found', 'GET')
  assertError(await other.decide(1, 'approved'), 404, 'order_not_found', 'PATCH')
  assertError(await other.cancel(1), 404, 'order_not_found', 'DELETE')
  assert.deepEqual((await other.get('/v1/store/orders?petId=1')).body, [])
  assert.equal((await admin.decide(1, 'approved')).status, 200)
  for (const id of ['x', '0', '9223372036854775808']) {
    assertError(await admin.get(`/v1/store/orders/${id}`), 404, 'order_not_found', id)
  }
})

test('GET /v1/store/orders filters by status and petId, page by page, and rejects other cursors', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const { place, cancel, get } = client(app)
  for (let count = 1; count <= 7; count += 1) {
    await place(await addPet(app, 'available'))
    if (count % 2 === 0) await cancel(count)
  }
  const readIds = async (query: string): Promise<number[]> => {
    const ids: number[] = []
    let next: string | undefined = `/v1/store/orders?${query}`
    while (next !== undefined) {
      const { body, headers } = await get(next)
      ids.push(...body.map(({ id }: { id: number }) => id))
      next = /<http:\/\/pets\.example([^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
    }
    return ids
  }
  assert.deepEqual(await readIds('limit=2'), [7, 6, 5, 4, 3, 2, 1])
  assert.deepEqual(await readIds('limit=3&status=placed'), [7, 5, 3, 1])
  assert.deepEqual(await readIds('limit=1&status=cancelled'), [6, 4, 2])
  assert.deepEqual(await readIds('petId=3'), [3])
  const { headers } = await get('/v1/store/orders?limit=2')
  const [, cursor] = /cursor=([^>&]+)/.exec(String(headers.link)) ?? []
  for (const [query, code] of [
    [`status=placed&cursor=${cursor}`, 'invalid_cursor'],
    ['cursor=x', 'invalid_cursor'],
    ['status=open', 'invalid_parameter'],
    ['petId=x', 'invalid_parameter'],
    ['limit=0', 'invalid_parameter'],
  ] as const) {
    assertError(await get(`/v1/store/orders?${query}`), 400, code, query)
  }
  assertError(await app.get(`/v1/pets?cursor=${cursor}`), 400, 'invalid_cursor', 'a cursor of orders')
})

test('invalid orders get 400 with an error that names each member', async (t) => {
  const app = await startApp(t)
  const petId = await addPet(app, 'available')
  const { place, decide, get } = client(app)
  for (const [adopter, pointer] of [
    [undefined, '/adopter'],
    ['Ada', '/adopter'],
    [{ email: 'a@example.org' }, '/adopter/name'],
    [{ ...ADOPTER, name: ' ' }, '/adopter/name'],
    [{ ...ADOPTER, name: 'x'.repeat(201) }, '/adopter/name'],
    [{ ...ADOPTER, email: 'ada' }, '/adopter/email'],
    [{ ...ADOPTER, email: 'ada@example.org\n' }, '/adopter/email'],
    [{ ...ADOPTER, email: '"a\r\nBcc: all@example.org"@example.org' }, '/adopter/email'],
    [{ ...ADOPTER, email: '"a\0"@example.org' }, '/adopter/email'],
    [{ ...ADOPTER, phone: null }, '/adopter/phone'],
    [{ ...ADOPTER, message: 'a\u0000' }, '/adopter/message'],
    [{ ...ADOPTER, message: 'x'.repeat(2_001) }, '/adopter/message'],
  ] as const) {
    const answer = await app.post('/v1/store/orders', { petId, adopter })
    assertError(answer, 400, 'validation_failed', JSON.stringify(adopter))
    assert.ok(
      answer.body.details.some((detail: { pointer: string }) => detail.pointer === pointer),
      answer.text,
    )
  }
  for (const id of ['1', null, 1.5, true, undefined]) {
    assert.equal((await place(id)).body.details[0].pointer, '/petId')
  }
  await place(petId)
  for (const status of [null, 'open', 1]) {
    assertError(await decide(1, status), 400, 'validation_failed', String(status))
  }
  assert.equal((await get('/v1/store/orders/1')).body.status, 'placed')
})

test('adopters are never logged, and are erased at midnight UTC after the order has been closed for 90 days', async (t) => {
  const app = await startApp(t)
  const { place, cancel, decide, get } = client(app)
  const tidyUp = () => doJobs(app.service.context)
  for (let count = 0; count < 3; count += 1) await place(await addPet(app, 'available'))
  await place(1)
  await cancel(1)
  await decide(2, 'approved')
  await decide(2, 'completed')
  await decide(3, 'approved')

  app.clock.now += 91 * 86_400_000 - 1
  await tidyUp()
  assert.deepEqual((await get('/v1/store/orders/1')).body.adopter, ADOPTER, 'kept until the last moment')
  app.clock.now += 1
  await tidyUp()

  const { body } = await get('/v1/store/orders')
  assert.deepEqual(
    body.map(({ id, adopter }: { id: number; adopter: unknown }) => [id, adopter]),
    [
      [3, ADOPTER],
      [2, undefined],
      [1, undefined],
    ],
  )
  assert.doesNotMatch(app.log.join(), /Ada|example\.org|garden/)
  if (!app.databaseUrl.startsWith('sqlite:')) return
  await app.stop()
  const left = readFileSync(fileOf(app.databaseUrl), 'latin1').split(ADOPTER.email).length - 1
  assert.equal(left, 1, 'the file has only the adopter of the open order')
})
