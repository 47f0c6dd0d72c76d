import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changes } from '../../db/change.ts'
import { type Headers, startNetwork } from '../../testing/network.ts'
import { makeKey, startApp, UNLIMITED } from '../../testing/start-app.ts'

const EXACT = { latitude: 52.094_9, longitude: 5.120_4 }
const ROUNDED = { latitude: 52.09, longitude: 5.12 }
const STAFF = {
  microchip: '528140000123456',
  intakeKind: 'stray',
  intakeNote: 'secretly bites',
  kennel: 'North 7',
  notes: 'hidden words',
}
const REX = { name: 'Rex', categoryId: 1, status: 'available', place: EXACT, staff: STAFF }

/** Starts a service with two animals, one of them with private data, an admin key and a read key. */
async function startTwo(t: TestContext) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const key = await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'read' })
  await app.post('/v1/pets', REX)
  await app.post('/v1/pets', { name: 'Tom', categoryId: 1, status: 'available', place: ROUNDED })
  const asReader = (path: string) => app.get(path, { authorization: `Bearer ${key}` })
  return { ...app, asReader, index: () => app.service.context.write(changes.indexAnimals) }
}

const idsIn = ({ body }: { body: { id: number }[] }): number[] => body.map(({ id }) => id)

test('no search finds an animal by its staff-only members, before and after it is indexed; q of staff finds only kennel and microchip', async (t) => {
  const { get, asReader, index } = await startTwo(t)
  const words = ['stray', 'secretly', 'bites', 'hidden', 'hidden words', '094', 'orth', 'number:north7']
  const numbers = ['528140000123456', '5281-4000', 'north', 'North 7', '7', 'rex,north7']
  for (const ask of [asReader, get]) {
    for (const q of [...words, ...(ask === asReader ? numbers : [])])
      assert.deepEqual(idsIn(await ask(`/v1/pets?q=${q}`)), [], q)
    for (const filter of ['tag=stray', 'externalId=528140000123456', 'city=north%207'])
      assert.deepEqual(idsIn(await ask(`/v1/pets?${filter}`)), [], filter)
    const facets = await ask('/v1/pets/facets?facet=tag&facet=city&facet=breed&facet=species')
    assert.deepEqual(facets.body.facets, { tag: [], city: [], breed: [], species: [] })
    await index()
  }
})

test('q finds shelter ID, kennel and microchip in any spelling only for callers who see what staff see', async (t) => {
  const app = await startNetwork(t)
  const { admin, write, ownWrite, read, ownRead, otherWrite } = app.callers
  const staff = { microchip: '985 112-345.678.901', kennel: 'Haus É, Box 12' }
  const whole = { name: 'Rex', categoryId: 1, externalId: 'CO12-2026-0153', staff, organizationId: 1 }
  await app.post('/v1/pets', whole)
  await app.post('/v1/pets', { name: 'Box', categoryId: 1, organizationId: 2 })
  const find = async (q: string, headers: Headers) => {
    const { body } = await app.get(`/v1/pets?q=${encodeURIComponent(q)}`, headers)
    const facets = await app.get(`/v1/pets/facets?facet=sex&q=${encodeURIComponent(q)}`, headers)
    assert.equal(facets.body.matches, body.length, q)
    return idsIn({ body })
  }
  const chips = ['985112345678901', '985-112 345 678 901', '98511', '985.112.345678901']
  const ids = ['co12 2026 0153', 'CO1220260153', '2026-0153', '0153', 'co-12-2026']
  for (const q of [...chips, ...ids, 'haus e box 12', 'BOX12', 'Box-12', '12']) {
    for (const who of [admin, write, ownWrite]) assert.deepEqual(await find(q, who), [1], q)
    for (const who of [read, ownRead, otherWrite]) assert.deepEqual(await find(q, who), [], q)
  }
  assert.deepEqual(await find('box', admin), [2, 1], 'names come first')
  assert.deepEqual(await find('box', otherWrite), [2])
  for (const q of ['456789', 'co12x', '1', 'none']) assert.deepEqual(await find(q, admin), [], q)

  await app.patch('/v1/pets/1', { staff: { kennel: 'Z 9' } })
  assert.deepEqual(await find('box12', admin), [], 'the old kennel')
  assert.deepEqual(await find('z9', admin), [1])
})

test('searches with near do not reveal exact coordinates: two animals with the same rounded coordinates rank equally', async (t) => {
  const { get, asReader, index } = await startTwo(t)
  for (const ask of [asReader, get]) {
    for (const near of [`${EXACT.latitude},${EXACT.longitude}`, '52.1,5.1']) {
      const { body } = await ask(`/v1/pets?near=${near}&sort=distance`)
      const [one, other] = body.map(({ distanceMeters }: { distanceMeters: number }) => distanceMeters)
      assert.deepEqual([idsIn({ body }), one], [[1, 2], other], near)
    }
    const counted = await ask(
      `/v1/pets/facets?facet=status&near=${EXACT.latitude},${EXACT.longitude}&within=1`,
    )
    assert.equal(counted.body.matches, 2)
    await index()
  }
})

test('a search page cached for an admin key is not served to a read key', async (t) => {
  const { get, asReader } = await startTwo(t)
  const path = '/v1/pets?q=rex&sort=name'
  const whole = await get(path)
  for (let time = 0; time < 2; time += 1) {
    const seen = await asReader(path)
    assert.match(whole.text, /secretly bites/)
    assert.doesNotMatch(seen.text, /secretly|0949/)
    assert.notEqual(seen.headers.etag, whole.headers.etag)
  }
})

test('a search cursor with another kind of key or other filters gets 400 invalid_cursor', async (t) => {
  const { get, asReader } = await startTwo(t)
  const { headers } = await get('/v1/pets?q=rex+tom&limit=1')
  assert.doesNotMatch(String(headers.link), /next/)
  const first = await get('/v1/pets?sort=name&limit=1')
  const next = /<http:\/\/[^/]+(\/[^>]*)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? ''
  assert.deepEqual(idsIn(await get(next)), [2])
  assert.equal((await asReader(next)).body.code, 'invalid_cursor')
  assert.equal((await get(next.replace('sort=name', 'sort=-publishedAt'))).body.code, 'invalid_cursor')
})
