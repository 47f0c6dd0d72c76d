import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSearch, readAll } from '../../testing/search-checks.ts'
import type { SearchedFilters } from '../../testing/search-reference.ts'
import { startApp, UNLIMITED } from '../../testing/start-app.ts'

test('sort=distance pages through one location that has more animals than fit in a batch', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const { get, post, patch, delete: remove } = app
  await post('/v1/organizations', { code: 'A', name: 'A', latitude: 52, longitude: -1 })
  // A location and an organization are at the same distance; a few animals are nearer or farther.
  const places = [
    { place: { latitude: 52, longitude: 1 } },
    { place: { latitude: 52, longitude: 1 } },
    { organizationId: 1 },
  ]
  for (let index = 0; index < 900; index += 1) {
    const sex = index % 5 === 0 ? 'female' : 'male'
    const longitude = index % 2 ? 0.5 : 1.5
    const where = index % 90 === 0 ? { place: { latitude: 52, longitude } } : places[(index % 7) % 3]
    const animal = { name: 'Rex', categoryId: 1, status: 'available', sex, ...where }
    // PostgreSQL may answer 503 on a busy machine. A second animal of the same kind does no harm.
    let { status } = await post('/v1/pets', animal)
    while (status === 503) status = (await post('/v1/pets', animal)).status
    assert.equal(status, 201)
  }
  // Changes some animals after they were indexed.
  await patch('/v1/pets/500', { sex: 'female', place: { latitude: 52, longitude: 1 } })
  await patch('/v1/pets/601', { sex: 'male' })
  await remove('/v1/pets/700')
  const [seen, shelters] = [await readAll(get), [{ id: 1, point: { latitude: 52, longitude: -1 } }]]
  const near = { near: ['52,0'], point: { latitude: 52, longitude: 0 }, sort: ['distance'] }
  const searches: [filters: SearchedFilters, limit: number][] = [
    // More matches than in the first batch.
    [{ ...near, sex: ['female'] }, 100],
    [{ ...near, sex: ['female'], categoryId: ['1'] }, 7],
    [{ ...near, sex: ['male'], within: ['80'] }, 100],
    [near, 100],
  ]
  for (const [filters, limit] of searches)
    assert.ok(await checkSearch(get, { filters, limit }, seen, shelters), JSON.stringify(filters))
})
