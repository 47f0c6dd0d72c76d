import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdoptableClient } from './client.ts'
import type { ListPetsParameters } from './operations.ts'
import { startFront } from './testing/front.ts'
import { startClient } from './testing/start-client.ts'

const UTRECHT = { city: 'Utrecht', country: 'NL', latitude: 52.09, longitude: 5.12 }
const DENVER = { city: 'Denver', region: 'Colorado', country: 'US', latitude: 39.74, longitude: -104.99 }
const ANIMALS = [
  { name: 'Rex', categoryId: 1, status: 'available', breed: { primary: 'Poodle' }, place: UTRECHT },
  { name: 'Mia', categoryId: 2, status: 'pending', breed: { primary: 'Tabby' }, place: DENVER },
  { name: 'Réx', categoryId: 1, status: 'sold', breed: { primary: 'Labrador Retriever' } },
] as const

async function startFilled(t: Parameters<typeof startClient>[0]) {
  const started = await startClient(t)
  for (const animal of ANIMALS) await started.client.createPet(animal)
  const idsOf = async (parameters: ListPetsParameters) =>
    (await started.client.listPets(parameters)).data.map(({ id }) => id)
  return { ...started, idsOf }
}

test('a filter accepts one value or several, and matches any of them', async (t) => {
  const { client, idsOf } = await startFilled(t)

  assert.deepEqual(await idsOf({ status: 'available' }), [1])
  assert.deepEqual(await idsOf({ status: ['available', 'sold'] }), [3, 1])
  assert.deepEqual(await idsOf({ breed: ['poodle', 'TABBY'] }), [2, 1])
  assert.deepEqual(await idsOf({ categoryId: [1, 2], breed: 'Tabby' }), [2])
  assert.deepEqual(await idsOf({ id: 2 }), [2])
  assert.deepEqual(await idsOf({ q: 'rex' }), [3, 1])
  await assert.rejects(client.listPets({ status: [] }), new TypeError('status is empty'))
  await assert.rejects(client.listPets({ categoryId: [1, 1.5] }), TypeError)
})

test('near returns animals with their distance, nearest first', async (t) => {
  const { client, idsOf } = await startFilled(t)

  const { data } = await client.listPets({ near: '52.0,5.12', within: 20, sort: 'distance' })

  const [found] = data
  assert.deepEqual([data.length, found?.id], [1, 1])
  assert.ok(found?.distanceMeters && found.distanceMeters > 9_900 && found.distanceMeters < 10_100)
  assert.equal((await client.listPets({ id: 1 })).data[0]?.distanceMeters, undefined)
  assert.deepEqual(await idsOf({ near: 'Denver, CO' }), [2])
})

test('listPetFacets counts the values of filters', async (t) => {
  const { client } = await startFilled(t)

  const { data } = await client.listPetFacets({ facet: ['status', 'breed'], categoryId: 1 })

  assert.deepEqual([data.matches, data.approximate], [2, false])
  assert.deepEqual(data.facets.breed, [
    { value: 'Labrador Retriever', count: 1 },
    { value: 'Poodle', count: 1 },
  ])
  assert.equal((await client.listPetFacets({ facet: 'age' })).data.matches, 3)
})

test('a misspelled filter is rejected, whatever headers are sent', async (t) => {
  const { client, app, settings } = await startFilled(t)
  const misspelt = { breeed: 'Poodle' } as ListPetsParameters

  for (const headers of [undefined, { Prefer: 'handling=lenient' }]) {
    const error = await client.listPets(misspelt, { headers }).catch((caught) => caught)
    assert.deepEqual([error.status, error.code], [400, 'invalid_parameter'])
    assert.equal(error.details[0].parameter, 'breeed')
  }
  const front = await startFront(t, app.port)
  const other = new AdoptableClient({ ...settings, baseUrl: front.baseUrl })
  await other.createPet({ name: 'Max', categoryId: 1 })
  await other.listCategories()
  const preferences = front.seen.map(({ headers }) => headers.prefer)
  assert.deepEqual(preferences, ['handling=strict', 'handling=strict'])
})
