import { breed, city, placeOf, randomFrom, region, TAGS, word } from './skewed.ts'

// Search queries for a store of skewed animals, by kind.

export type Question = [name: string, value: string | number][]

/** An animal in an answer. */
// biome-ignore lint/suspicious/noExplicitAny: animals have many members
export type PetView = Record<string, any>

/** Filters that match an animal, the most selective ones last. */
export function filtersOf(animal: PetView): Question {
  const { breed = {}, traits = {}, goodWith = {}, place = {}, tags = [], colors = [] } = animal
  const pairs: [string, unknown][] = [
    ['categoryId', animal.categoryId],
    ['status', animal.status],
    ['sex', animal.sex],
    ['size', animal.size],
    ['coat', animal.coat],
    ['age', animal.age],
    ['goodWithCats', goodWith.cats],
    ['goodWithDogs', goodWith.dogs],
    ['houseTrained', traits.houseTrained],
    ['spayedNeutered', traits.spayedNeutered],
    ['color', colors[0]],
    ['tag', tags[0]],
    ['region', place.region],
    ['breed', breed.primary],
    ['city', place.city],
  ]
  return pairs.flatMap(([name, value]): Question => (value === undefined ? [] : [[name, String(value)]]))
}

const some = <Item>(items: Item[], count: number, random: () => number): Item[] =>
  items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .slice(0, count)
    .map(({ item }) => item)

const near = (rank: number): Question => {
  const { latitude, longitude } = placeOf(rank)
  return [['near', `${latitude},${longitude}`]]
}
const RARE: Question = [
  ['breed', breed(290)],
  ['coat', 'long'],
]
const breeds = (count: number): Question =>
  Array.from({ length: count }, (_, rank) => ['breed', breed(rank * 3 + count)])

/** Fixed queries by kind. */
export function fixedQuestions(animals: PetView[]): Record<string, Question[]> {
  const random = randomFrom(7)
  const manyFilters = animals
    .slice(10, 14)
    .map((animal, index) => some(filtersOf(animal), 10 + index, random))
  return {
    'of an animal, 2 to 6 filters': animals
      .slice(0, 10)
      .map((animal, index) => some(filtersOf(animal), 2 + (index % 5), random)),
    broad: [
      [['status', 'available']],
      [['sex', 'female']],
      [['size', 'medium']],
      [['vaccinated', 'true']],
      [['goodWithChildren', 'true']],
      [['hasPhotos', 'false']],
    ],
    '2 to 8 breeds': [2, 3, 4, 5, 6, 8].map((count): Question => [...breeds(count), ['sex', 'male']]),
    '10 to 13 filters': manyFilters,
    'common and common, none has both': [
      [
        ['breed', breed(0)],
        ['city', city(4_900)],
        ['sex', 'unknown'],
        ['coat', 'long'],
      ],
      [
        ['categoryId', 8],
        ['species', 'Dog'],
      ],
      [
        ['species', 'Cat'],
        ['categoryId', 1],
      ],
      [
        ['tag', TAGS[0] ?? ''],
        ['tag', TAGS[1] ?? ''],
        ['species', 'Cat'],
        ['categoryId', 1],
      ],
    ],
    'words: common with a rare filter': [
      [['q', word(0)], ...RARE],
      [
        ['q', word(3)],
        ['city', city(900)],
      ],
    ],
    'words: two common ones': [[['q', `${word(0)} ${word(1)}.`]], [['q', `${word(2)} ${word(5)}.`]]],
    'words: the beginning of one': [
      [['q', word(9_000).slice(0, 5)]],
      [['q', `${word(1)} ${word(700).slice(0, 4)}`]],
    ],
    'words: the commonest': [[['q', `${word(0)}.`]]],
    'nearest within 100 km': [0, 8, 400].map(
      (rank): Question => [...near(rank), ['within', 100], ['sort', 'distance']],
    ),
    'nearest within 500 km': [0, 400].map(
      (rank): Question => [...near(rank), ['within', 500], ['sort', 'distance']],
    ),
    'nearest within 500 km, rare filter': [0, 400].map(
      (rank): Question => [...near(rank), ['within', 500], ['sort', 'distance'], ...RARE],
    ),
    'by name': [
      [
        ['sort', 'name'],
        ['species', 'Dog'],
      ],
      [['sort', 'name'], ...RARE],
    ],
    'by publication': [
      [
        ['sort', '-publishedAt'],
        ['species', 'Cat'],
      ],
      [['sort', '-publishedAt'], ...RARE],
    ],
  }
}

/** Random queries with one to five filters, from animals or from values that may not occur together. */
export function generatedQuestions(animals: PetView[], count: number, seed = 11): Record<string, Question[]> {
  const random = randomFrom(seed)
  const pick = () => animals[Math.floor(random() * animals.length)] as PetView
  const rank = (most: number) => Math.floor(random() ** 3 * most)
  const filters = (): Question =>
    random() < 0.6
      ? some(filtersOf(pick()), 1 + rank(5), random)
      : [
          ['breed', breed(rank(300))],
          ...(random() < 0.5 ? ([['region', region(rank(60))]] as Question) : []),
          ...some(filtersOf(pick()).slice(0, 10), rank(4), random),
        ]
  const times = (share: number, make: () => Question) =>
    Array.from({ length: Math.round(count * share) }, make)
  return {
    'generated filters': times(0.6, filters),
    'generated words': times(0.25, () => [
      ['q', `${word(rank(20_000))}${random() < 0.4 ? ` ${word(rank(2_000))}` : ''}.`],
      ...(random() < 0.3 ? filters().slice(0, 1) : []),
    ]),
    'generated, nearest': times(0.15, () => [
      ...near(rank(5_000)),
      ['within', [50, 100, 160][rank(3)] ?? 100],
      ['sort', 'distance'],
      ...(random() < 0.5 ? filters().slice(0, 1) : []),
    ]),
  }
}
