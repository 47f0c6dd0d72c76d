import fc from 'fast-check'
import type { SearchedFilters } from './search-reference.ts'

// Random animals and searches with values that differ in case, accents, scripts and places.

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
export const animal = fc.record(
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
    organizationId: some(1, 2, 3, 4),
    place,
  },
  { requiredKeys: ['name', 'categoryId'] },
)

const values = (...list: string[]) => maybe(fc.uniqueArray(some(...list), { minLength: 1, maxLength: 2 }))
const one = (...list: string[]) => maybe(some(...list).map((value) => [value]))
export const search = fc
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
    bornAfter: one('2019-12-31', '2024-02-28', '9999-12-31'),
    bornBefore: one('2024-02-29', '2026-12-01', '0000-01-01'),
    publishedAfter: one('2026-12-01T00:00:03Z', '2026-01-01T00:00:00Z'),
    publishedBefore: one('2026-12-01T00:00:05.000Z', '2027-01-01T00:00:00Z'),
    updatedSince: one('2026-12-01T00:00:04Z', '2026-12-02T00:00:00Z'),
    country: values('NL', 'CA', 'US'),
    region: values('quebec', 'Colorado', 'utah'),
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
      'colorado',
      'ёж',
      'dog',
      '!?',
    ),
    near: fc.option(some('52.09,5.12', '0,180', '90,45', '39.7,-105'), { nil: undefined, freq: 2 }),
    within: some('1', '30', '500'),
    sort: some('-id', '-id', 'id', 'name', 'publishedAt', '-publishedAt', 'age', 'distance'),
    // Mostly large pages, because searches with one animal per page take nearly all of the time.
    limit: some(1, 3, 3, 20, 20, 100, 100, 100),
    unused: fc.integer({ min: 1, max: 3 }),
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
  .map(({ near, within, sort, limit, chosen, ...candidates }) => {
    const filters: SearchedFilters = {}
    for (const name of chosen) {
      const value = candidates[name as keyof typeof candidates]
      if (Array.isArray(value)) filters[name] = value
    }
    if (near !== undefined) {
      const [latitude = 0, longitude = 0] = near.split(',').map(Number)
      Object.assign(filters, { near: [near], within: [within], point: { latitude, longitude } })
    }
    filters.sort = [sort === 'distance' && near === undefined ? 'name' : sort]
    return { filters, limit }
  })
