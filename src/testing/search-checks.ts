import assert from 'node:assert/strict'
import fc from 'fast-check'
import { sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { fold } from '../search/words.ts'
import type { Answer } from './client.ts'
import { setNextPetId } from './next-id.ts'
import { animal, search } from './search-generators.ts'
import {
  countAll,
  type ListedPet,
  type SearchedFilters,
  type Shelter,
  searchAll,
} from './search-reference.ts'
import type { TestApp } from './start-app.ts'

// Compares the search results of services with those of a reference model, which tests every animal.

/** Sends a GET request with a key that sees all animals. */
export type Get = (path: string) => Promise<Answer>

const SHELTERS_SENT = [
  {
    code: 'A',
    name: 'A',
    address: { city: 'Denver', region: 'Colorado' },
    latitude: 39.74,
    longitude: -104.99,
  },
  { code: 'B', name: 'B' },
  { code: 'C', name: 'C', address: { city: 'Boulder', region: 'COLORADO', country: 'US' } },
  { code: 'D', name: 'D', address: { region: 'Utah', country: 'US' } },
  // There are more organizations than animals in a block, so search does not use the index for organizations.
  ...Array.from({ length: 20 }, (_, index) => ({ code: `E${index}`, name: `E${index}` })),
]

/** New addresses for the first organizations. */
const ADDRESSES = [
  { city: 'Denver', region: 'Colorado', country: 'US' },
  { city: null, region: 'Québec', country: 'CA' },
  { city: 'Utrecht', region: null, country: 'NL' },
  { region: 'Utah', country: null },
  null,
]

const FACETS = ['breed', 'status', 'goodWithCats', 'hasPhotos', 'age', 'city', 'tag', 'organizationId']
/** Facets without cities. For these facets, the index counts countries and regions by area. */
const AREA_FACETS = ['country', 'region', 'species']
type Count = { value: string; count: number }

function queryOf(filters: SearchedFilters): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(filters))
    if (Array.isArray(values)) for (const value of values) query.append(name, value)
  return query
}

/** Reads all organizations for the reference. */
async function readShelters(get: Get): Promise<Shelter[]> {
  const answer = await get('/v1/organizations?limit=100')
  return answer.body.map(({ id, address, latitude, longitude }: Record<string, never>) => ({
    id,
    address,
    ...(latitude !== undefined && { point: { latitude, longitude } }),
  }))
}

export const nextOf = ({ headers }: Answer): string | undefined =>
  /<http:\/\/[^/]+(\/[^>]*)>; rel="next"/.exec(String(headers.link))?.[1]

/** Reads all animals for the reference. */
export async function readAll(get: Get): Promise<ListedPet[]> {
  const animals: ListedPet[] = []
  for (let path: string | undefined = '/v1/pets?fields=*,publishedAt,updatedAt&limit=100'; path; ) {
    const answer = await get(path)
    assert.equal(answer.status, 200, answer.text)
    animals.push(...answer.body)
    path = nextOf(answer)
  }
  return animals
}

/** Reads all pages of a search. @returns ids with distances */
async function readMatches(
  get: Get,
  filters: SearchedFilters,
  limit: number,
): Promise<[number, number | undefined][]> {
  const query = queryOf({ ...filters, limit: [String(limit)] })
  const found: [number, number | undefined][] = []
  for (let path: string | undefined = `/v1/pets?${query}`; path; ) {
    const answer = await get(path)
    assert.equal(answer.status, 200, answer.text)
    assert.ok(answer.body.length <= limit)
    found.push(...answer.body.map(({ id, distanceMeters }: ListedPet) => [id, distanceMeters]))
    path = nextOf(answer)
  }
  return found
}

/**
 * Fails unless a search and its facets equal those of the reference.
 *
 * @returns whether the search found anything
 */
export async function checkSearch(
  get: Get,
  { filters, limit }: { filters: SearchedFilters; limit: number },
  animals: ListedPet[],
  shelters: Shelter[],
): Promise<boolean> {
  const matches = searchAll(animals, shelters, filters)
  const expected = matches.map(({ animal, meters }) => [animal.id, meters])
  assert.deepEqual(await readMatches(get, filters, limit), expected, JSON.stringify({ filters, limit }))
  for (const facets of [FACETS, AREA_FACETS]) {
    const { status, text, body } = await get(
      `/v1/pets/facets?${queryOf({ ...filters, sort: undefined, facet: facets })}`,
    )
    assert.equal(status, 200, text)
    assert.deepEqual([body.matches, body.approximate], [expected.length, false], JSON.stringify(filters))
    for (const facet of facets) {
      const counted = body.facets[facet].map(({ value, count }: Count) => [fold(value), count])
      assert.deepEqual(Object.fromEntries(counted), countAll(matches, shelters, facet), facet)
    }
  }
  return expected.length > 0
}

interface ComparisonOptions {
  seed: number
  animals: number
  searches: number
}

/** The number of concurrent searches between two changes. */
const BATCH_SIZE = 4

/** Runs random searches on all services at once. @returns how many found anything */
export async function compareSearches(apps: TestApp[], comparing: ComparisonOptions): Promise<number> {
  const [hits] = await Promise.all(apps.map((app) => compareOn(app, comparing)))
  return hits ?? 0
}

/** Unused ids between animals, so a search on SQLite needs several statements (see `partsById`). */
const [GAP, GAPS_AFTER] = [300_000, [0.3, 0.6]]

/** PostgreSQL then lists the tokens of this animal as common, and a search treats all others as rare. */
async function analyzeOneAnimal(app: TestApp): Promise<void> {
  const { body } = await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const { db } = app.service.context
  if (dialectOf(db).engine === 'postgres') await sql`analyze pet_search`.execute(db)
  await app.delete(`/v1/pets/${body.id}`)
}

async function compareOn(
  app: TestApp,
  { seed, animals: count, searches }: ComparisonOptions,
): Promise<number> {
  for (const shelter of SHELTERS_SENT)
    assert.equal((await app.post('/v1/organizations', shelter)).status, 201)
  await analyzeOneAnimal(app)
  const ids: number[] = []
  for (const one of fc.sample(animal, { numRuns: count, seed })) {
    app.clock.now += 50
    const { status, text, body } = await app.post('/v1/pets', one)
    assert.equal(status, 201, text)
    ids.push(body.id)
    if (GAPS_AFTER.some((share) => ids.length === Math.floor(count * share)))
      await setNextPetId(app.databaseUrl, body.id + GAP)
  }
  const samples = fc.sample(search, { numRuns: searches, seed })
  const changes = fc.sample(fc.tuple(fc.nat(), animal, fc.nat(9)), { numRuns: searches, seed })
  let hits = 0
  for (let first = 0; first < searches; first += BATCH_SIZE) {
    app.clock.now += 50
    await makeChange(app, changes[first] as Change, ids)
    const [animals, shelters] = [await readAll(app.get), await readShelters(app.get)]
    const check = async (one: (typeof samples)[number], index: number): Promise<void> => {
      const hasFound = await checkSearch(app.get, one, animals, shelters).catch((error) => {
        throw new Error(`search ${first + index} of seed ${seed} on ${app.databaseUrl}`, { cause: error })
      })
      if (hasFound) hits += 1
    }
    await Promise.all(samples.slice(first, first + BATCH_SIZE).map(check))
  }
  return hits
}

type Change = [which: number, after: object, what: number]

async function makeChange(app: TestApp, [which, change, what]: Change, ids: number[]): Promise<void> {
  const { status: _, organizationId: __, ...after } = change as Record<string, unknown>
  const id = ids[which % ids.length]
  if (what < 5) await app.patch(`/v1/pets/${id}`, after)
  if (what === 5) await app.delete(`/v1/pets/${id}`)
  if (what === 6) await app.post('/v1/pets', after)
  if (what < 8) return
  const address = ADDRESSES[which % ADDRESSES.length]
  assert.equal((await app.patch(`/v1/organizations/${1 + (which % 4)}`, { address })).status, 200)
}
