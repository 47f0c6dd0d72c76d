import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForCommand } from '../../db/open-database.ts'
import { doJobs } from '../../testing/jobs.ts'
import { startApp, UNLIMITED } from '../../testing/start-app.ts'
import { categoryNames, withAge } from '../rules.ts'
import type { NewPet } from '../schema.ts'
import { insertPets } from '../store.ts'
import { indexAnimals } from './index-animals.ts'

const ANIMALS = 1_200

test('after each change, the next search finds an animal by its new values only', async (t) => {
  const { get, post, patch, request } = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const finds = async (query: string): Promise<number> => (await get(`/v1/pets?${query}`)).body.length
  await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', tags: ['calm'] })
  assert.deepEqual([await finds('tag=calm'), await finds('q=rex')], [1, 1])
  await patch('/v1/pets/1', { name: 'Max', tags: ['shy'] })
  assert.deepEqual([await finds('tag=calm'), await finds('q=rex')], [0, 0])
  assert.deepEqual([await finds('tag=shy'), await finds('q=max')], [1, 1])
  await post('/v1/store/orders', { petId: 1, adopter: { name: 'Ann', email: 'ann@example.org' } })
  assert.deepEqual([await finds('status=available&tag=shy'), await finds('status=pending&tag=shy')], [0, 1])
  assert.equal((await patch('/v1/store/orders/1', { status: 'cancelled' })).status, 200)
  assert.equal(await finds('status=available&tag=shy'), 1)
  assert.equal((await request('/v1/pets/1', { method: 'DELETE' })).status, 204)
  assert.deepEqual([await finds('tag=shy'), await finds('q=max')], [0, 0])
})

test('after an organization moves, 500 of its animals are indexed immediately, and the others by the job', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const { get, post, patch } = app
  await post('/v1/organizations', { code: 'A', name: 'A', address: { city: 'Denver' } })
  const store = await openForCommand(app.databaseUrl)
  const pet = { name: 'Rex', categoryId: 1, status: 'available', organizationId: 1 } as unknown as NewPet
  const aged = await withAge(categoryNames(store.db), pet, app.clock.now)
  await store.db.transaction().execute(async (on) => {
    await insertPets(
      on,
      Array.from({ length: ANIMALS }, () => aged),
      { keyId: null, now: app.clock.now },
    )
    while (await indexAnimals(on, true));
  })
  await store.close()
  await patch('/v1/organizations/1', { name: 'B' })
  const countIn = async (city: string): Promise<number> =>
    (await get(`/v1/pets/facets?facet=status&city=${city}`)).body.matches
  assert.equal(await countIn('Denver'), ANIMALS)

  await patch('/v1/organizations/1', { address: { city: 'Boulder' } })
  // The background job of the service may have indexed more already.
  assert.ok((await countIn('Boulder')) >= 500)
  await doJobs(app.service.context)
  assert.deepEqual([await countIn('Denver'), await countIn('Boulder')], [0, ANIMALS])
})

test('an animal created and deleted in one transaction leaves nothing to index', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const store = await openForCommand(app.databaseUrl)
  const pet = { name: 'Rex', categoryId: 1, status: 'available' } as unknown as NewPet
  const aged = await withAge(categoryNames(store.db), pet, app.clock.now)
  await store.db.transaction().execute(async (on) => {
    await insertPets(on, [aged, aged], { keyId: null, now: app.clock.now })
    await on.deleteFrom('pet').where('id', '=', 1).execute()
    await indexAnimals(on)
  })
  assert.deepEqual(await store.db.selectFrom('search_change').select('pet_id').execute(), [])
  assert.equal((await app.get('/v1/pets?q=rex')).body.length, 1)
  await store.close()
})

test('a tag that is 18 times as long after case folding is stored and found', async (t) => {
  const { get, post } = await startApp(t, { key: UNLIMITED })
  // This character folds to 18 characters.
  const tag = '\ufdfa'.repeat(30)
  const { status } = await post('/v1/pets', { name: tag, categoryId: 1, status: 'available', tags: [tag] })
  assert.equal(status, 201)
  for (const query of [`tag=${encodeURIComponent(tag)}`, `q=${encodeURIComponent('\ufdfa')}`])
    assert.equal((await get(`/v1/pets?${query}`)).body.length, 1, query)
})
