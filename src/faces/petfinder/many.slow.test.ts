import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForCommand } from '../../db/open-database.ts'
import { categoryNames, withAge } from '../../pets/rules.ts'
import type { NewPet } from '../../pets/schema.ts'
import { indexAnimals } from '../../pets/search/index-animals.ts'
import { insertPets } from '../../pets/store.ts'
import { setNextPetId } from '../../testing/next-id.ts'
import { startV2 } from '../../testing/v2.ts'

const ANIMALS = 10_250

test('GET /v2/animals of a long list returns all pages in order, 400 for a page too far ahead, and totals up to a minute old', async (t) => {
  const { read, post, clock, databaseUrl } = await startV2(t)
  const store = await openForCommand(databaseUrl)
  const pet: NewPet = { name: 'Rex', categoryId: 1, status: 'available' }
  const aged = await withAge(categoryNames(store.db), pet, clock.now)
  const animals = Array.from({ length: ANIMALS }, () => aged)
  await store.db.transaction().execute(async (on) => {
    await insertPets(on, animals, { keyId: null, now: clock.now })
    while (await indexAnimals(on, true));
  })
  await store.close()

  const page = async (number: number) => (await read(`/animals?limit=100&page=${number}`)).body
  const firstId = async (number: number): Promise<number> => (await page(number)).animals[0].id
  const refused = (await read('/animals?limit=100&page=102')).body['invalid-params']
  assert.equal(refused[0].path, 'page')
  assert.match(refused[0].message, /too far/)
  assert.equal(await firstId(101), ANIMALS - 10_000, 'skips 10,000 animals')
  assert.equal(await firstId(102), ANIMALS - 10_100, 'starts at the previous page')
  const last = await page(103)
  assert.equal(last.animals.length, 50)
  assert.deepEqual(last.pagination, {
    ...{ count_per_page: 100, total_count: ANIMALS, current_page: 103, total_pages: 103 },
    _links: { previous: { href: '/v2/animals?limit=100&page=102' } },
  })

  const total = async (limit: number): Promise<number> =>
    (await read(`/animals?limit=${limit}`)).body.pagination.total_count
  assert.equal((await post('/v1/pets', { name: 'Ada', categoryId: 1, status: 'available' })).status, 201)
  clock.now += 59_999
  assert.equal(await total(20), ANIMALS, 'the count may be a minute old')
  clock.now += 1
  assert.equal(await total(20), ANIMALS + 1)
  clock.now += 600_000
  assert.equal((await read('/animals?limit=100&page=103')).status, 400, 'the cached starts have expired')
})

test('GET /v2/animals with filters that leave few candidates in an index block: the count is exact', async (t) => {
  const { read, post, databaseUrl } = await startV2(t)
  const add = async (name: string, sex: string): Promise<void> => {
    const { status } = await post('/v1/pets', { name, categoryId: 1, status: 'available', sex })
    assert.equal(status, 201)
  }
  // The next block of ids has one male. Many names match, so checking this male is cheaper than checking the
  // names. His name does not match.
  for (let index = 0; index < 40; index += 1) await add(`aaa${index}`, 'male')
  await setNextPetId(databaseUrl, 20_000)
  await add('bbb', 'male')
  await add('aaa', 'female')

  const { body } = await read('/animals?name=aaa&gender=male&limit=10')
  assert.equal(body.pagination.total_count, 40)
})
