import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fold } from '../search/words.ts'
import type { Answer } from '../testing/client.ts'
import { type Asked, countAll, type Seen, type Shelter, searchAll } from '../testing/search-reference.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const seed = Number(process.env.SEARCH_SEED ?? Date.now() % 1e6)
const [ANIMALS, SEARCHES] = [120, 150]

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 })
const some = fc.constantFrom
const NAMES = [
  'Rex',
  'rex',
  'Réx the Dog',
  'Bella',
  'Łukasz',
  '雪の子',
  'हिन्दी',
  'Straße 9',
  '-5',
  'co-op',
  'Zoë',
  '🐕 x',
]
const BREEDS = ['Poodle', 'poodle', 'Péodle', 'Labrador Retriever', 'Tabby', 'Mixed: a/b', '雪']
const WORDS = [
  'calm',
  'Calm.',
  'loves',
  'lovely',
  'walks',
  'straße',
  'strasse',
  '雪の',
  'ночь',
  'Ёж',
  "don't",
  'a',
]
const POINTS = [
  [52.09, 5.12],
  [52.094, 5.121],
  [90, 0],
  [89.9, 180],
  [0, 179.95],
  [0, -179.95],
  [39.74, -104.99],
] as const
const place = fc.oneof(
  some(...POINTS).map(([latitude, longitude]) => ({ city: 'Somewhere', latitude, longitude })),
  some({ city: 'Utrecht', country: 'NL' }, { region: 'Québec', country: 'CA' }, { postcode: '80202' }),
)
const animal = fc.record(
  {
    name: some(...NAMES),
    categoryId: some(1, 2, 3),
    status: some('available', 'available', 'pending', 'sold'),
    species: some('Guinea Pig', 'guinea pig', 'Rat'),
    breed: fc.record({ primary: some(...BREEDS), secondary: some(...BREEDS) }, { requiredKeys: ['primary'] }),
    colors: some(['Black'], ['black', 'White'], ['Gray / Blue']),
    coat: some('short', 'long'),
    birthDate: some('2026-11-30', '2024-02-29', '2020-01-01', '2019-12-31'),
    sex: some('female', 'male', 'unknown'),
    size: some('small', 'large'),
    description: fc.array(some(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
    traits: fc.record({ houseTrained: fc.boolean(), vaccinated: fc.boolean() }, { requiredKeys: [] }),
    goodWith: fc.record({ cats: fc.boolean(), dogs: fc.boolean() }, { requiredKeys: [] }),
    tags: some(['shy'], ['Shy', 'café'], ['Cafe']),
    organizationId: some(1, 2),
    place,
  },
  { requiredKeys: ['name', 'categoryId'] },
)

const values = (...list: string[]) => maybe(fc.uniqueArray(some(...list), { minLength: 1, maxLength: 2 }))
const one = (...list: string[]) => maybe(some(...list).map((value) => [value]))
const search = fc
  .record({
    status: values('available', 'pending', 'sold'),
    categoryId: values('1', '2', '9'),
    organizationId: values('1', '2', '77'),
    species: values('guinea PIG', 'rat'),
    breed: values('POODLE', 'tabby', 'nobody'),
    color: values('black', 'gray / blue'),
    coat: values('short', 'long'),
    age: values('baby', 'adult'),
    sex: values('female', 'unknown'),
    size: values('small', 'large'),
    tag: values('shy', 'CAFÉ'),
    goodWithCats: one('true', 'false'),
    houseTrained: one('true', 'false'),
    hasPhotos: one('false'),
    bornAfter: one('2019-12-31', '2024-02-28'),
    bornBefore: one('2024-02-29', '2026-12-01'),
    publishedAfter: one('2026-12-01T00:00:03Z', '2026-01-01T00:00:00Z'),
    publishedBefore: one('2026-12-01T00:00:05.000Z', '2027-01-01T00:00:00Z'),
    updatedSince: one('2026-12-01T00:00:04Z', '2026-12-02T00:00:00Z'),
    country: values('NL', 'CA'),
    region: values('quebec', 'Colorado'),
    city: values('utrecht', 'denver'),
    q: one(
      'rex',
      'calm',
      'cal',
      'love',
      'rex the',
      'strasse',
      '雪の',
      'ночь',
      'calm walks',
      'denv',
      'ёж',
      'dog',
    ),
    near: fc.option(some('52.09,5.12', '0,180', '90,45', '39.7,-105'), { nil: undefined, freq: 2 }),
    within: some('1', '30', '500'),
    sort: some('-id', '-id', 'id', 'name', 'publishedAt', '-publishedAt', 'age', 'distance'),
    limit: some(1, 3, 20, 100),
    asked: fc.integer({ min: 1, max: 3 }),
    chosen: fc.shuffledSubarray(
      [
        'status',
        'categoryId',
        'organizationId',
        'species',
        'breed',
        'color',
        'coat',
        'age',
        'sex',
        'size',
        'tag',
      ]
        .concat(['goodWithCats', 'houseTrained', 'hasPhotos', 'bornAfter', 'bornBefore', 'publishedAfter'])
        .concat(['publishedBefore', 'updatedSince', 'country', 'region', 'city', 'q']),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ near, within, sort, limit, chosen, ...filters }) => {
    const asked: Asked = {}
    for (const name of chosen) {
      const wanted = filters[name as keyof typeof filters]
      if (Array.isArray(wanted)) asked[name] = wanted
    }
    if (near !== undefined) {
      const [latitude = 0, longitude = 0] = near.split(',').map(Number)
      Object.assign(asked, { near: [near], within: [within], point: { latitude, longitude } })
    }
    asked.sort = [sort === 'distance' && near === undefined ? 'name' : sort]
    return { asked, limit }
  })

const SHELTERS = [
  {
    code: 'A',
    name: 'A',
    address: { city: 'Denver', region: 'Colorado' },
    latitude: 39.74,
    longitude: -104.99,
  },
  { code: 'B', name: 'B' },
]

const FACETS = ['breed', 'status', 'goodWithCats', 'hasPhotos', 'age', 'city', 'tag', 'organizationId']
type Count = { value: string; count: number }

function queryOf(asked: Asked): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, wanted] of Object.entries(asked))
    if (Array.isArray(wanted)) for (const value of wanted) query.append(name, value)
  return query
}

/** All ids that a search finds, page after page, with the distances. */
async function foundBy(app: TestApp, asked: Asked, limit: number): Promise<[number, number | undefined][]> {
  const query = queryOf({ ...asked, limit: [String(limit)] })
  const found: [number, number | undefined][] = []
  for (let path: string | undefined = `/v1/pets?${query}`; path; ) {
    const { status, body, headers, text } = await app.get(path)
    assert.equal(status, 200, text)
    assert.ok(body.length <= limit)
    found.push(...body.map(({ id, distanceMeters }: Seen) => [id, distanceMeters]))
    path = /<http:\/\/[^/]+(\/[^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
  }
  return found
}

test(`searches find what looking at each animal finds, in its order (seed ${seed})`, async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const { write } = app.service.context
  for (const shelter of SHELTERS) await app.post('/v1/organizations', shelter)
  const shelters: Shelter[] = [
    {
      id: 1,
      address: { city: 'Denver', region: 'Colorado' },
      point: { latitude: 39.74, longitude: -104.99 },
    },
    { id: 2 },
  ]
  const animals = fc.sample(animal, { numRuns: ANIMALS, seed })
  const searches = fc.sample(search, { numRuns: SEARCHES, seed })
  const changes = fc.sample(fc.tuple(fc.nat(), animal, fc.nat(9)), { numRuns: SEARCHES, seed })
  let hits = 0
  for (const one of animals) {
    app.clock.now += 50
    const { status, text } = await app.post('/v1/pets', one)
    assert.equal(status, 201, text)
  }
  for (const [index, { asked, limit }] of searches.entries()) {
    const [which = 0, change, what = 9] = changes[index] ?? []
    const { status: _, organizationId: __, ...after } = change ?? { name: 'Rex', categoryId: 1 }
    app.clock.now += 50
    const id = 1 + (which % ANIMALS)
    if (what < 5) await app.patch(`/v1/pets/${id}`, after)
    if (what === 5) await app.delete(`/v1/pets/${id}`)
    if (what === 6) await app.post('/v1/pets', after)
    if (what === 7) while (await write('indexAnimals'));
    const seen: Seen[] = []
    for (let path: string | undefined = '/v1/pets?fields=*,publishedAt,updatedAt&limit=100'; path; ) {
      const { body, headers }: Answer = await app.get(path)
      seen.push(...body)
      path = /<http:\/\/[^/]+(\/[^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
    }
    const matches = searchAll(seen, shelters, asked)
    const expected = matches.map(({ animal, meters }) => [animal.id, meters])

    const found = await foundBy(app, asked, limit)
    hits += Math.min(found.length, 1)

    assert.deepEqual(found, expected, JSON.stringify({ asked, limit, index }))
    const { body } = await app.get(`/v1/pets/facets?${queryOf({ ...asked, sort: undefined, facet: FACETS })}`)
    assert.deepEqual([body.matches, body.approximate], [expected.length, false], JSON.stringify(asked))
    for (const facet of FACETS) {
      const counted = body.facets[facet].map(({ value, count }: Count) => [fold(value), count])
      assert.deepEqual(Object.fromEntries(counted), countAll(matches, shelters, facet), facet)
    }
  }
  // A test of searches that find nothing would prove little.
  assert.ok(hits > SEARCHES / 4, `${hits} of ${SEARCHES} searches found something`)
})
