import assert from 'node:assert/strict'
import fc from 'fast-check'
import { fold } from '../search/words.ts'
import type { Answer } from './client.ts'
import { animal, search } from './search-generators.ts'
import { countAll, type SearchedFilters, type Seen, type Shelter, searchAll } from './search-reference.ts'
import type { TestApp } from './start-app.ts'

// Compares what services answer to searches with what looking at each animal finds.

/** Asks a service, with a key that sees all. */
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
  // Of more organizations than a block has animals the index is not asked.
  ...Array.from({ length: 20 }, (_, index) => ({ code: `E${index}`, name: `E${index}` })),
]

/** Where one of the first of them moves. */
const ADDRESSES = [
  { city: 'Denver', region: 'Colorado', country: 'US' },
  { city: null, region: 'Québec', country: 'CA' },
  { city: 'Utrecht', region: null, country: 'NL' },
  { region: 'Utah', country: null },
  null,
]

const FACETS = ['breed', 'status', 'goodWithCats', 'hasPhotos', 'age', 'city', 'tag', 'organizationId']
/** Without cities: countries and regions are then counted by the areas of the index. */
const AREA_FACETS = ['country', 'region', 'species']
type Count = { value: string; count: number }

function queryOf(asked: SearchedFilters): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, wanted] of Object.entries(asked))
    if (Array.isArray(wanted)) for (const value of wanted) query.append(name, value)
  return query
}

/** All organizations, as the reference reads them. */
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

/** All animals, as the reference reads them. */
export async function readAll(get: Get): Promise<Seen[]> {
  const seen: Seen[] = []
  for (let path: string | undefined = '/v1/pets?fields=*,publishedAt,updatedAt&limit=100'; path; ) {
    const answer = await get(path)
    assert.equal(answer.status, 200, answer.text)
    seen.push(...answer.body)
    path = nextOf(answer)
  }
  return seen
}

/** All ids that a search finds, page after page, with the distances. */
async function foundBy(
  get: Get,
  asked: SearchedFilters,
  limit: number,
): Promise<[number, number | undefined][]> {
  const query = queryOf({ ...asked, limit: [String(limit)] })
  const found: [number, number | undefined][] = []
  for (let path: string | undefined = `/v1/pets?${query}`; path; ) {
    const answer = await get(path)
    assert.equal(answer.status, 200, answer.text)
    assert.ok(answer.body.length <= limit)
    found.push(...answer.body.map(({ id, distanceMeters }: Seen) => [id, distanceMeters]))
    path = nextOf(answer)
  }
  return found
}

/** @returns whether there is anything to be found */
export async function checkSearch(
  get: Get,
  { asked, limit }: { asked: SearchedFilters; limit: number },
  seen: Seen[],
  shelters: Shelter[],
): Promise<boolean> {
  const matches = searchAll(seen, shelters, asked)
  const expected = matches.map(({ animal, meters }) => [animal.id, meters])
  assert.deepEqual(await foundBy(get, asked, limit), expected, JSON.stringify({ asked, limit }))
  for (const facets of [FACETS, AREA_FACETS]) {
    const { status, text, body } = await get(
      `/v1/pets/facets?${queryOf({ ...asked, sort: undefined, facet: facets })}`,
    )
    assert.equal(status, 200, text)
    assert.deepEqual([body.matches, body.approximate], [expected.length, false], JSON.stringify(asked))
    for (const facet of facets) {
      const counted = body.facets[facet].map(({ value, count }: Count) => [fold(value), count])
      assert.deepEqual(Object.fromEntries(counted), countAll(matches, shelters, facet), facet)
    }
  }
  return expected.length > 0
}

interface Comparing {
  seed: number
  animals: number
  searches: number
}

/** Searches at once between two changes. */
const BATCH_SIZE = 4

/** Searches by the seed, on all services at once. @returns how many found something */
export async function compareSearches(apps: TestApp[], comparing: Comparing): Promise<number> {
  const [hits] = await Promise.all(apps.map((app) => compareOn(app, comparing)))
  return hits ?? 0
}

async function compareOn(app: TestApp, { seed, animals: count, searches }: Comparing): Promise<number> {
  for (const shelter of SHELTERS_SENT)
    assert.equal((await app.post('/v1/organizations', shelter)).status, 201)
  for (const one of fc.sample(animal, { numRuns: count, seed })) {
    app.clock.now += 50
    const { status, text } = await app.post('/v1/pets', one)
    assert.equal(status, 201, text)
  }
  const asked = fc.sample(search, { numRuns: searches, seed })
  const changes = fc.sample(fc.tuple(fc.nat(), animal, fc.nat(9)), { numRuns: searches, seed })
  let hits = 0
  for (let first = 0; first < searches; first += BATCH_SIZE) {
    app.clock.now += 50
    await makeChange(app, changes[first] as Change, count)
    const [seen, shelters] = [await readAll(app.get), await readShelters(app.get)]
    const check = async (one: (typeof asked)[number], index: number): Promise<void> => {
      const hasFound = await checkSearch(app.get, one, seen, shelters).catch((error) => {
        throw new Error(`search ${first + index} of seed ${seed} on ${app.databaseUrl}`, { cause: error })
      })
      if (hasFound) hits += 1
    }
    await Promise.all(asked.slice(first, first + BATCH_SIZE).map(check))
  }
  return hits
}

type Change = [which: number, after: object, what: number]

async function makeChange(app: TestApp, [which, change, what]: Change, count: number): Promise<void> {
  const { status: _, organizationId: __, ...after } = change as Record<string, unknown>
  const id = 1 + (which % count)
  if (what < 5) await app.patch(`/v1/pets/${id}`, after)
  if (what === 5) await app.delete(`/v1/pets/${id}`)
  if (what === 6) await app.post('/v1/pets', after)
  if (what < 8) return
  const address = ADDRESSES[which % ADDRESSES.length]
  assert.equal((await app.patch(`/v1/organizations/${1 + (which % 4)}`, { address })).status, 200)
}
