import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeKey, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const ADOPTER = { name: 'A. Adopter', email: 'adopter@example.org' }

/** Starts a service with available animals. */
async function startWith(t: TestContext, animals: number) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (let i = 0; i < animals; i += 1)
    await app.post('/v1/pets', { name: `Rex ${i + 1}`, categoryId: 1, status: 'available' })
  const bonds = async (): Promise<Record<string, number[]>> => {
    const { body } = await app.get('/v1/pets?limit=100&sort=id')
    return Object.fromEntries(
      body.flatMap(({ id, bondedWith }: { id: number; bondedWith?: number[] }) =>
        bondedWith ? [[id, bondedWith]] : [],
      ),
    )
  }
  const statuses = async () =>
    (await app.get('/v1/pets?limit=100&sort=id')).body.map(({ status }: { status: string }) => status)
  const bond = (id: number, bondedWith: number[] | null) => app.patch(`/v1/pets/${id}`, { bondedWith })
  const order = (petId: number, alsoPetIds?: number[]) =>
    app.post('/v1/store/orders', { petId, alsoPetIds, adopter: ADOPTER })
  return { ...app, bonds, statuses, bond, order }
}

test('PATCH bondedWith on one animal updates all animals of the bond and their histories', async (t) => {
  const { get, post, bonds, bond } = await startWith(t, 4)
  assert.deepEqual((await bond(3, [2, 1])).body.bondedWith, [1, 2])
  assert.deepEqual(await bonds(), { 1: [2, 3], 2: [1, 3], 3: [1, 2] })
  const { body } = await get('/v1/pets/1/history')
  assert.deepEqual(body[0].changes, { bondedWith: { to: [2, 3] } })

  const created = await post('/v1/pets', { name: 'Max', categoryId: 1, bondedWith: [4] })
  assert.deepEqual([created.status, created.body.bondedWith], [201, [4]])
  assert.deepEqual(await bonds(), { 1: [2, 3], 2: [1, 3], 3: [1, 2], 4: [5], 5: [4] })

  assert.equal((await bond(2, [1])).status, 200)
  assert.deepEqual(await bonds(), { 1: [2], 2: [1], 4: [5], 5: [4] })
  await bond(1, [2, 3])
  await bond(1, null)
  assert.deepEqual(await bonds(), { 2: [3], 3: [2], 4: [5], 5: [4] })
})

test('DELETE of a bonded animal removes it from the bond', async (t) => {
  const { delete: remove, bonds, bond } = await startWith(t, 3)
  await bond(1, [2, 3])
  await remove('/v1/pets/2')
  assert.deepEqual(await bonds(), { 1: [3], 3: [1] })
  await remove('/v1/pets/1')
  assert.deepEqual(await bonds(), {})
})

test('an invalid bondedWith: 400 that names each wrong animal, and nothing changes', async (t) => {
  const { bonds, bond, post } = await startWith(t, 8)
  await bond(3, [4])
  for (const [id, bondedWith, ...pointers] of [
    [1, [1], '/bondedWith/0'],
    [1, [2, 99], '/bondedWith/1'],
    [1, [2, 2], '/bondedWith/1'],
    [1, [3], '/bondedWith/0'],
    [1, [2, 3, 5, 6, 7, 8], '/bondedWith'],
    [1, [], '/bondedWith'],
    [1, [-1], '/bondedWith/0'],
    [1, ['2'], '/bondedWith/0'],
    [1, [Number.MAX_SAFE_INTEGER + 1], '/bondedWith/0'],
  ] as const) {
    const { status, body } = await bond(id, bondedWith as unknown as number[])
    const found = body.details?.map(({ pointer }: { pointer: string }) => pointer)
    assert.deepEqual([status, found], [400, pointers], JSON.stringify(bondedWith))
  }
  assert.equal((await post('/v1/pets', { name: 'Max', categoryId: 1, bondedWith: [99] })).status, 400)
  assert.deepEqual(await bonds(), { 3: [4], 4: [3] })
  assert.equal((await bond(1, [3, 4])).status, 200)
})

test('an order must name all animals of a bond; completing or cancelling the order changes all of them', async (t) => {
  const { request, get, statuses, bond, order, patch } = await startWith(t, 4)
  await bond(2, [1, 3])

  for (const [petId, also] of [
    [1, undefined],
    [1, [2]],
    [1, [2, 4]],
    [1, [2, 3, 4]],
    [4, [1]],
  ] as const) {
    const refused = await order(petId, also as number[] | undefined)
    assert.deepEqual([refused.status, refused.body.code], [409, 'bonded'], `${petId} ${also}`)
  }
  assert.match((await order(1)).body.message, /"alsoPetIds": \[2, 3\]/)
  assert.deepEqual(await statuses(), Array(4).fill('available'))
  assert.equal((await order(1, [2, 99])).body.code, 'pet_not_found')

  const placed = await order(3, [2, 1])
  assert.deepEqual([placed.status, placed.body.alsoPetIds], [201, [2, 1]])
  assert.deepEqual(await statuses(), ['pending', 'pending', 'pending', 'available'])
  assert.deepEqual((await get('/v1/store/orders')).body[0].alsoPetIds, [2, 1])
  assert.equal((await patch('/v1/pets/1', { status: 'sold' })).body.code, 'order_open')
  assert.equal((await bond(4, [1, 2, 3])).body.code, 'order_open')
  assert.equal((await bond(1, null)).body.code, 'order_open')
  assert.equal((await request('/v1/pets/2', { method: 'DELETE' })).body.code, 'order_open')
  assert.equal((await order(4)).status, 201)

  await request('/v1/store/orders/1', { method: 'DELETE' })
  assert.deepEqual(await statuses(), ['available', 'available', 'available', 'pending'])
  const again = (await order(1, [3, 2])).body.id
  await patch(`/v1/store/orders/${again}`, { status: 'approved' })
  await patch(`/v1/store/orders/${again}`, { status: 'completed' })
  assert.deepEqual(await statuses(), ['sold', 'sold', 'sold', 'pending'])
})

test('30 concurrent orders for one bond: one gets 201, 29 get 409', async (t) => {
  const { bond, order, statuses } = await startWith(t, 3)
  await bond(1, [2, 3])
  const all = [1, 2, 3]
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => {
      const first = all[i % 3] as number
      return order(
        first,
        all.filter((id) => id !== first),
      )
    }),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ body }) => body.code === 'pet_not_available').length, 29)
  assert.deepEqual(await statuses(), ['pending', 'pending', 'pending'])
})

test('concurrent changes of bonds leave every bond complete', async (t) => {
  const { bond, bonds } = await startWith(t, 5)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => {
      const one = 1 + (i % 5)
      const other = 1 + ((i + 1 + (i % 3)) % 5)
      return bond(one, i % 4 === 3 || one === other ? null : [other])
    }),
  )
  for (const { status } of answers) assert.ok([200, 400, 503].includes(status), String(status))
  const found = await bonds()
  for (const [id, others] of Object.entries(found)) {
    const bond = [Number(id), ...others].toSorted()
    for (const other of others) assert.deepEqual([other, ...(found[other] ?? [])].toSorted(), bond)
  }
})

test('bonding animals of different organizations, or moving one animal of a bond, gets 400', async (t) => {
  const { post, patch, bond, bonds } = await startWith(t, 2)
  await post('/v1/organizations', { name: 'A', code: 'A1' })
  await bond(1, [2])
  const moved = await patch('/v1/pets/1', { organizationId: 1 })
  assert.deepEqual([moved.status, moved.body.details[0].pointer], [400, '/organizationId'])
  assert.equal((await patch('/v1/pets/1', { organizationId: 1, bondedWith: null })).status, 200)
  const apart = await bond(1, [2])
  assert.deepEqual([apart.status, apart.body.details[0].pointer], [400, '/bondedWith/0'])
  const added = await post('/v1/pets', { name: 'Tom', categoryId: 1, organizationId: 1, bondedWith: [2] })
  assert.equal(added.body.details[0].pointer, '/bondedWith/0')
  await patch('/v1/pets/2', { organizationId: 1 })
  await bond(1, [2])
  assert.deepEqual(await bonds(), { 1: [2], 2: [1] })
})

test('an animal with an outcome cannot be bonded from either side', async (t) => {
  const { post, patch, bond, bonds } = await startWith(t, 3)
  const staff = { outcomeKind: 'died', outcomeDate: '2026-11-20' }
  await patch('/v1/pets/3', { staff })
  const pet = { name: 'Tom', categoryId: 1 }
  for (const [answer, pointer] of [
    [await bond(1, [2, 3]), '/bondedWith/1'],
    [await bond(3, [1]), '/bondedWith'],
    [await patch('/v1/pets/1', { bondedWith: [2], staff }), '/bondedWith'],
    [await post('/v1/pets', { ...pet, bondedWith: [1, 3] }), '/bondedWith/1'],
    [await post('/v1/pets', { ...pet, bondedWith: [1], staff }), '/bondedWith'],
  ] as const)
    assert.deepEqual([answer.status, answer.body.details?.[0].pointer], [400, pointer], answer.text)
  assert.deepEqual(await bonds(), {})
  assert.equal((await patch('/v1/pets/3', { status: 'available', bondedWith: [1] })).status, 200)
})

test('an organization key that bonds an animal of another organization gets other_organization', async (t) => {
  const { post, patch, databaseUrl, bonds } = (await startWith(t, 1)) satisfies TestApp
  await post('/v1/organizations', { name: 'A', code: 'A1' })
  const key = await makeKey(databaseUrl, { ...UNLIMITED, organizationId: 1 })
  const own = { authorization: `Bearer ${key}` }
  for (const name of ['Max', 'Tom']) await post('/v1/pets', { name, categoryId: 1 }, own)

  assert.equal((await patch('/v1/pets/2', { bondedWith: [1] }, own)).body.code, 'other_organization')
  assert.equal((await patch('/v1/pets/2', { bondedWith: [3] }, own)).status, 200)
  assert.deepEqual(await bonds(), { 2: [3], 3: [2] })
})

test('GET /v1/store/orders?petId finds orders with the animal in petId or alsoPetIds, page by page', async (t) => {
  const { get, patch, bond, order } = await startWith(t, 3)
  const place = async (...[petId, others]: Parameters<typeof order>) => {
    const { status, body } = await order(petId, others)
    assert.equal(status, 201)
    await patch(`/v1/store/orders/${body.id}`, { status: 'cancelled' })
  }
  await place(1)
  await bond(1, [2, 3])
  await place(1, [2, 3])
  await place(2, [1, 3])
  const idsOf = async (query: string) =>
    (await get(`/v1/store/orders?${query}`)).body.map(({ id }: { id: number }) => id)

  assert.deepEqual(await Promise.all(['petId=1', 'petId=2', 'petId=3', 'petId=4'].map(idsOf)), [
    [3, 2, 1],
    [3, 2],
    [3, 2],
    [],
  ])
  assert.deepEqual(await idsOf('petId=3&status=placed'), [])
  const first = await get('/v1/store/orders?petId=1&limit=2')
  const next = /<[^>]*?(\/v1[^>]*)>/.exec(String(first.headers.link))?.[1] ?? ''
  assert.deepEqual(
    (await get(next)).body.map(({ id }: { id: number }) => id),
    [1],
  )
})
