import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metersBetween } from '../places/distance.ts'
import { ALL_CALLERS, addAnimal, orderOf, SECRET, startNetwork } from '../testing/network.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

test('staff notes are hidden from read keys and other organizations, in every response and cache', async (t) => {
  const app = await startNetwork(t)
  const { get, patch, post, callers } = app
  await addAnimal(app, 1)
  await patch('/v1/pets/1', { staff: { notes: `${SECRET}!` } })

  const paths = ['/v1/pets', '/v1/pets/1', '/v1/pets?id=1', '/v1/pets/1/history', '/v1/pets?fields=staff']
  const etags = new Map<string, unknown>()
  for (const path of paths) {
    // Each caller requests twice, so the second response may come from the cache.
    for (const name of [...ALL_CALLERS, ...ALL_CALLERS].filter((name) => name !== 'none')) {
      const { text, headers } = await get(path, callers[name])
      const sees = ['admin', 'write', 'ownWrite'].includes(name)
      assert.equal(text.includes(SECRET), sees, `${name} ${path}`)
      etags.set(`${name} ${path}`, headers.etag)
    }
  }
  for (const path of ['/v1/pets/1', '/v1/pets?id=1', '/v1/pets']) {
    assert.notEqual(etags.get(`ownWrite ${path}`), etags.get(`otherWrite ${path}`))
    const conditional = { ...callers.otherWrite, 'if-none-match': String(etags.get(`ownWrite ${path}`)) }
    assert.equal((await get(path, conditional)).status, 200)
  }
  const replayed = { ...callers.ownWrite, 'idempotency-key': 'once' }
  assert.match(
    (await post('/v1/pets', { name: 'Tom', categoryId: 2, staff: { notes: SECRET } }, replayed)).text,
    /Nobody/,
  )
  const other = await post(
    '/v1/pets',
    { name: 'Tom', categoryId: 2 },
    { ...callers.otherWrite, 'idempotency-key': 'once' },
  )
  assert.deepEqual([other.body.organizationId, other.headers['idempotent-replayed']], [2, undefined])
})

test('moving an animal to another organization leaves its staff notes and past orders with the first organization', async (t) => {
  const app = await startNetwork(t)
  const { get, patch, callers } = app
  const order = await orderOf(app, 1)
  assert.equal((await patch('/v1/pets/1', { organizationId: 2 })).body.code, 'order_open')
  await app.delete(`/v1/store/orders/${order}`)

  assert.equal((await patch('/v1/pets/1', { organizationId: 2 })).status, 200)

  for (const path of ['/v1/pets/1', '/v1/pets/1/history'])
    assert.doesNotMatch((await get(path, callers.otherWrite)).text, /Nobody/)
  assert.doesNotMatch((await get('/v1/pets/1', callers.ownWrite)).text, /Nobody/)
  assert.match((await get('/v1/pets/1/history', callers.ownWrite)).text, /Nobody/)
  assert.equal((await get('/v1/store/orders', callers.ownWrite)).body.length, 1)
  assert.equal((await get('/v1/store/orders?status=cancelled', callers.ownWrite)).body.length, 1)
  assert.deepEqual((await get('/v1/store/orders', callers.otherWrite)).body, [])
})

test('GET /v1/inventory follows an animal that moves to another organization', async (t) => {
  const app = await startNetwork(t)
  const { get, patch } = app
  const counts = async (query = '') => Object.values((await get(`/v1/inventory${query}`)).body.overall)
  await addAnimal(app, 1)
  await addAnimal(app)
  await patch('/v1/pets/1', { organizationId: 2, status: 'pending' })

  assert.deepEqual(await counts(), [1, 1, 0, 0])
  assert.deepEqual(await counts('?organizationId=1'), [0, 0, 0, 0])
  assert.deepEqual(await counts('?organizationId=2'), [0, 1, 0, 0])
})

test('POST /v1/organizations stores all members, and PATCH with null removes them', async (t) => {
  const { get, post, patch } = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const profile = {
    code: 'NL-7',
    name: 'Dierenthuis',
    email: 'post@example.org',
    phone: '+31 30 000',
    address: { street: 'Straat 1', city: 'Utrecht', region: 'Utrecht', postcode: '3511', country: 'NL' },
    ...{ latitude: 52.090_8, longitude: 5.12 },
    website: 'https://example.org',
    mission: 'Homes.\nFor all.',
    adoptionPolicy: 'Come and see.',
    adoptionUrl: 'https://example.org/adopt',
    hours: { monday: '10 to 16', sunday: 'closed' },
    social: { mastodon: 'https://example.social/@us' },
  }
  const created = await post('/v1/organizations', profile)
  const { createdAt, updatedAt, ...members } = created.body
  assert.deepEqual([created.status, members, createdAt], [201, { id: 1, ...profile }, updatedAt])
  assert.match(String(created.headers.location), /\/v1\/organizations\/1$/)
  assert.deepEqual((await get('/v1/organizations/1')).body, created.body)

  const patched = await patch('/v1/organizations/1', {
    code: 'ignored',
    address: { street: null },
    hours: null,
    latitude: null,
    longitude: null,
  })

  const { hours, latitude, longitude, ...left } = profile
  const { street, ...address } = profile.address
  const { createdAt: _, updatedAt: __, ...after } = patched.body
  assert.deepEqual(after, { id: 1, ...left, address })
})

test('invalid organizations get 400 with an error that names each member, and nothing is stored', async (t) => {
  const { get, post, patch } = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const [bad, ...pointers] of [
    [{}, '/name'],
    [{ name: ' ' }, '/name'],
    [{ name: 'A', code: '-a' }, '/code'],
    [{ name: 'A', code: 'a'.repeat(21) }, '/code'],
    [{ name: 'A', latitude: 1 }, '/longitude'],
    [{ name: 'A', latitude: 91, longitude: 181 }, '/latitude', '/longitude'],
    [{ name: 'A', website: 'http://a.example', social: { x: 1 } }, '/website', '/social/x'],
    [{ name: 'A', address: { country: 'nl' }, email: 'a' }, '/email', '/address/country'],
    [{ name: 'A', hours: { monday: 'a\nb' } }, '/hours/monday'],
  ] as const) {
    const { status, body } = await post('/v1/organizations', bad)
    const found = body.details.map(({ pointer }: { pointer: string }) => pointer)
    assert.deepEqual([status, found.toSorted()], [400, pointers.toSorted()], JSON.stringify(bad))
  }
  assert.deepEqual((await get('/v1/organizations')).body, [])
  await post('/v1/organizations', { name: 'A', code: 'Abc' })
  assert.equal((await post('/v1/organizations', { name: 'B', code: 'aBC' })).body.code, 'organization_exists')
  assert.equal((await patch('/v1/organizations/1', { latitude: 4 })).body.details[0].pointer, '/longitude')
  assert.equal((await patch('/v1/organizations/1', { name: null })).status, 400)
  assert.equal((await patch('/v1/organizations/9', { name: 'B' })).body.code, 'organization_not_found')
  assert.equal((await get('/v1/organizations/x')).body.code, 'organization_not_found')
})

test('POST /v1/organizations without a code: the code is the region or country, followed by a free number', async (t) => {
  const { post } = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const add = async (address?: object, code?: string) =>
    (await post('/v1/organizations', { name: 'A', address, code })).body.code
  await add(undefined, 'co2')

  const made = [
    await add({ region: 'CO', country: 'US' }),
    await add({ region: 'Utrecht', country: 'NL' }),
    await add(),
  ]

  assert.deepEqual(made, ['CO3', 'NL3', 'ORG4'])
})

test('DELETE of an organization that has animals or keys gets 409 organization_in_use', async (t) => {
  const app = await startNetwork(t)
  await app.post('/v1/organizations', { name: 'Third' })
  const id = await addAnimal(app, 3)
  assert.equal((await app.delete('/v1/organizations/3')).body.code, 'organization_in_use')
  assert.equal((await app.delete('/v1/organizations/1')).body.code, 'organization_in_use')
  await app.delete(`/v1/pets/${id}`)
  assert.equal((await app.delete('/v1/organizations/3')).status, 204)
  assert.equal((await app.delete('/v1/organizations/3')).status, 404)
})

test('an externalId used twice in one organization gets 409 external_id_exists', async (t) => {
  const { post, patch } = await startNetwork(t)
  const add = async (externalId: string, organizationId?: number) =>
    (await post('/v1/pets', { name: 'Rex', categoryId: 1, externalId, organizationId })).body
  assert.deepEqual((await add('A 1', 1)).externalId, 'A 1')
  assert.equal((await add('A 1', 2)).id, 2)
  assert.equal((await add('A 1')).id, 3)
  assert.equal((await add('A 1', 1)).code, 'external_id_exists')
  assert.equal((await add('A 1')).code, 'external_id_exists')

  assert.equal((await patch('/v1/pets/3', { organizationId: 1 })).body.code, 'external_id_exists')
  const { body } = await patch('/v1/pets/3', { externalId: null, organizationId: 1 })
  assert.deepEqual([body.externalId, body.organizationId], [undefined, 1])
  assert.equal(
    (await post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 9 })).body.details[0].code,
    'unknown_organization',
  )
  assert.equal((await patch('/v1/pets/1', { organizationId: 9 })).body.details[0].pointer, '/organizationId')
})

test('GET /v1/organizations filters by q, country and region, and sorts by distance with near, page by page', async (t) => {
  const { get, post } = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (let i = 0; i < 30; i += 1) {
    const address = { region: i % 2 ? 'Utrecht' : 'CO', country: i % 2 ? 'NL' : 'US' }
    // Longitudes around the date line.
    const place = i % 5 ? { latitude: 0, longitude: ((179.5 + i / 20 + 180) % 360) - 180 } : {}
    await post('/v1/organizations', { name: i === 7 ? '50%_Cats' : `Shelter ${i}`, address, ...place })
  }
  const readAll = async (query: string) => {
    const found = []
    let path = `/v1/organizations?limit=4&${query}`
    for (let pages = 0; path && pages < 20; pages += 1) {
      const { body, headers } = await get(path)
      found.push(...body)
      path = /<[^>]*(\/v1[^>]*)>; rel="next"/.exec(String(headers.link))?.[1] ?? ''
    }
    return found
  }
  const names = async (query: string) => (await readAll(query)).map(({ name }) => name)

  assert.equal((await readAll('')).length, 30)
  assert.deepEqual(await names('q=%25_c'), ['50%_Cats'])
  assert.deepEqual(await names('q=shelter%2012'), ['Shelter 12'])
  assert.equal((await names('country=NL&region=utrecht')).length, 15)
  const near = await readAll('near=0,-179.9&within=500')
  const distances = near.map(({ distanceMeters }) => distanceMeters)
  assert.deepEqual(
    distances,
    distances.toSorted((one, other) => one - other),
  )
  assert.equal(near.length, 24)
  assert.equal(new Set(near.map(({ id }) => id)).size, 24)
  for (const { latitude, longitude, distanceMeters } of near)
    assert.equal(distanceMeters, metersBetween({ latitude, longitude }, { latitude: 0, longitude: -179.9 }))
  assert.ok((await readAll('near=0,-179.9&within=5')).length < 24)
  for (const bad of ['near=91,0', 'near=%20', 'within=501', 'country=nld'])
    assert.equal((await get(`/v1/organizations?${bad}`)).status, 400, bad)
})

test('metersBetween measures along the great circle, across the date line and at the poles', () => {
  const point = (latitude: number, longitude: number) => ({ latitude, longitude })
  assert.equal(metersBetween(point(0, 179.5), point(0, -179.5)), 111_195)
  assert.equal(metersBetween(point(90, 0), point(90, 120)), 0)
  assert.equal(metersBetween(point(-90, 5), point(90, 5)), 20_015_114)
  assert.equal(metersBetween(point(0, 0), point(0, 180)), 20_015_114)
})
