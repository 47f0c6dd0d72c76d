import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSearch, readAll } from '../../testing/search-checks.ts'
import type { SearchedFilters } from '../../testing/search-reference.ts'
import { startApp, UNLIMITED } from '../../testing/start-app.ts'
import { type Finder, finderOf } from './filters.ts'
import { type SearchQuery, searchPets } from './find.ts'
import type { Position } from './matching.ts'

test('sort=distance pages through one location that has more animals than fit in a batch', async (t) => {
  let finder: Finder | undefined
  const app = await startApp(t, {
    key: { ...UNLIMITED, access: 'admin' },
    faces(context) {
      finder = finderOf(context)
      return []
    },
  })
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
    const far = { place: { latitude: 53 + index / 900, longitude } }
    const where =
      index % 10 === 0
        ? far
        : index % 90 === 1
          ? { place: { latitude: 52, longitude } }
          : places[(index % 7) % 3]
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

  // Only the Petfinder API has the reverse order.
  for (const filter of [{}, { sex: ['female'] }]) {
    const query = { near: '52,0', within: 500, ...filter }
    const nearestFirst = await readIds(finder as Finder, { ...query, sort: 'distance' })
    assert.ok(nearestFirst.length > 100)
    assert.deepEqual(await readIds(finder as Finder, { ...query, sort: '-distance' }), nearestFirst.reverse())
  }
})

/** Reads all pages of a search. */
async function readIds(finder: Finder, query: Omit<SearchQuery, 'limit'>): Promise<number[]> {
  const ids: number[] = []
  let after: Position | undefined
  do {
    const start = { query: { ...query, limit: 30 }, after }
    const { found, next } = await searchPets(finder, start, { view: 'public', photosBase: '' })
    const page = found.slice(0, 30)
    ids.push(...page.map(({ position }) => position[1]))
    after = found.length > 30 ? page.at(-1)?.position : next
  } while (after)
  return ids
}
