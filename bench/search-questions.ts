import { FIRST_CATEGORIES } from '../src/db/migrations/categories.ts'
import type { NewOrganization } from '../src/organizations/schema.ts'
import type { NewPet } from '../src/pets/schema.ts'
import { fractionsFrom, shuffled } from '../torture/lab/random.ts'

// Animals with a realistic distribution (Zipf): few breeds, places, tags and words are very common, and most
// are rare. The animals are the same each time.

const ORGANIZATIONS = 2_000
const PLACES = 5_000
const BREEDS = 300
const WORDS = 20_000
const NAMES = 4_000
const DESCRIPTION_WORDS = 60

type Random = () => number

/** Draws ranks from 0: the second is half as likely as the first, the third a third as likely. */
function zipf(count: number, random: Random): () => number {
  const sums = new Float64Array(count)
  let sum = 0
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1)
    sums[rank] = sum
  }
  return () => {
    const target = random() * sum
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((sums[middle] as number) < target) low = middle + 1
      else high = middle
    }
    return low
  }
}

const SYLLABLES = ['ba', 'do', 'fi', 'gu', 'ki', 'lo', 'mi', 'nu', 'pa', 'ru', 'so', 'ti', 'vo', 'wa', 'zu']

/** An invented word for each rank; common words are short. */
function word(rank: number): string {
  let text = ''
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    text += SYLLABLES[rest % SYLLABLES.length]
  return text
}

const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const breed = (rank: number): string => `${titled(word(rank * 7))} ${titled(word(rank + 40))}`
const city = (rank: number): string => `${titled(word(rank + 300))}ville`
const region = (rank: number): string => `Region ${rank % 60}`

/** A place near one of a few centres. */
function place(rank: number) {
  const random = fractionsFrom(rank + 1)
  const middle = fractionsFrom((rank % 40) + 77)
  const [latitude, longitude] = [27 + middle() * 20, -122 + middle() * 50]
  return {
    city: city(rank),
    region: region(rank),
    postcode: String(10_000 + rank),
    country: 'US',
    latitude: Number((latitude + (random() - 0.5) * 6).toFixed(4)),
    longitude: Number((longitude + (random() - 0.5) * 6).toFixed(4)),
  }
}

const PLACE_OF = Array.from({ length: PLACES }, (_, rank) => place(rank))
const BREED_OF = Array.from({ length: BREEDS }, (_, rank) => breed(rank))
const WORD_OF = Array.from({ length: WORDS }, (_, rank) => word(rank))
const placeOf = (rank: number) => PLACE_OF[rank % PLACES] as ReturnType<typeof place>

export function organizations(): NewOrganization[] {
  return Array.from({ length: ORGANIZATIONS }, (_, index) => {
    const { latitude, longitude, ...address } = placeOf(index * 2)
    return { code: `shelter-${index}`, name: `Shelter ${index}`, address, latitude, longitude }
  })
}

const COLORS = ['Black', 'White', 'Brown', 'Gray', 'Golden', 'Red', 'Cream', 'Blue', 'Silver', 'Calico']
const TAGS = ['calm', 'playful', 'shy', 'curious', 'loves walks', 'lap sitter', 'beginner'].concat(
  Array.from({ length: 73 }, (_, rank) => `${word(rank + 90)} ${word(rank)}`),
)
const DAY_MS = 86_400_000
const NEWEST = Date.UTC(2026, 10, 1)
const MAX_DAYS = 15 * 365

function createSampler(random: Random) {
  const of = <Value>(values: readonly Value[]) => {
    const rank = zipf(values.length, random)
    return () => values[rank()] as Value
  }
  return {
    breed: of(BREED_OF),
    color: of(COLORS),
    tag: of(TAGS),
    word: of(WORD_OF),
    name: zipf(NAMES, random),
    place: of(PLACE_OF),
    organization: zipf(ORGANIZATIONS, random),
    sex: of(['female', 'male', 'unknown'] as const),
    size: of(['medium', 'small', 'large', 'extra_large'] as const),
    coat: of(['short', 'medium', 'long'] as const),
    status: of(['available', 'sold', 'pending', undefined] as const),
    kind: (): number => (random() < 0.6 ? Math.floor(random() * 2) : 2 + Math.floor(random() * 6)),
    maybe: (chance: number): boolean => random() < chance,
    day: () => new Date(NEWEST - Math.floor(random() ** 3 * MAX_DAYS) * DAY_MS).toISOString().slice(0, 10),
  }
}

export function* skewedAnimals(count: number, seed = 1): Generator<NewPet> {
  const draw = createSampler(fractionsFrom(seed))
  for (let index = 0; index < count; index += 1) yield animal(index, draw)
}

function animal(index: number, draw: ReturnType<typeof createSampler>): NewPet {
  const isMixed = draw.maybe(0.3)
  const kind = draw.kind()
  const words = Array.from({ length: DESCRIPTION_WORDS }, draw.word)
  const [primary, secondary] = [draw.breed(), draw.breed()]
  return {
    name: titled(word(draw.name() + 500)),
    categoryId: kind + 1,
    status: draw.status(),
    externalId: `A${index}`,
    ...(draw.maybe(0.9) && { organizationId: 1 + draw.organization() }),
    species: FIRST_CATEGORIES[kind] as string,
    breed: { primary, ...(isMixed && secondary !== primary && { secondary }), mixed: isMixed },
    colors: [...new Set([draw.color(), draw.color()])],
    coat: draw.coat(),
    birthDate: draw.day(),
    sex: draw.sex(),
    size: draw.size(),
    weightGrams: 500 + (index % 300) * 100,
    description: titled(`${words.join(' ')}.`),
    traits: {
      spayedNeutered: draw.maybe(0.8),
      houseTrained: draw.maybe(0.5),
      vaccinated: draw.maybe(0.9),
      specialNeeds: draw.maybe(0.03),
    },
    goodWith: { children: draw.maybe(0.7), dogs: draw.maybe(0.6), cats: draw.maybe(0.4) },
    tags: [...new Set([draw.tag(), draw.tag(), draw.tag()])],
    ...(draw.maybe(0.7) && { place: draw.place() }),
  } as NewPet
}

// Search queries for a store of skewed animals, by kind.

/** Filters and an order, each as in a query. Values are not encoded. */
export type Question = string[]

/** An animal in an answer. */
// biome-ignore lint/suspicious/noExplicitAny: animals have many members
export type PetView = Record<string, any>

/** Filters that match an animal, the most selective ones last. */
function filtersOf(animal: PetView): Question {
  const { breed = {}, traits = {}, goodWith = {}, place = {}, tags = [], colors = [] } = animal
  const values = {
    categoryId: animal.categoryId,
    status: animal.status,
    sex: animal.sex,
    size: animal.size,
    coat: animal.coat,
    age: animal.age,
    goodWithCats: goodWith.cats,
    goodWithDogs: goodWith.dogs,
    houseTrained: traits.houseTrained,
    spayedNeutered: traits.spayedNeutered,
    color: colors[0],
    tag: tags[0],
    region: place.region,
    breed: breed.primary,
    city: place.city,
  }
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
}

const some = <Item>(items: Item[], count: number, random: () => number): Item[] =>
  shuffled(items, random).slice(0, count)

/** Nearest first, around the place of this rank. */
const near = (rank: number, kilometers: number): Question => {
  const { latitude, longitude } = placeOf(rank)
  return [`near=${latitude},${longitude}`, `within=${kilometers}`, 'sort=distance']
}
const RARE: Question = [`breed=${breed(290)}`, 'coat=long']

/** Fixed queries by kind. */
export function fixedQuestions(animals: PetView[]): Record<string, Question[]> {
  const random = fractionsFrom(7)
  const manyFilters = animals
    .slice(10, 14)
    .map((animal, index) => some(filtersOf(animal), 10 + index, random))
  return {
    'of an animal, 2 to 6 filters': animals
      .slice(0, 10)
      .map((animal, index) => some(filtersOf(animal), 2 + (index % 5), random)),
    broad: ['status=available', 'sex=female', 'vaccinated=true', 'hasPhotos=false'].map((one) => [one]),
    '10 to 13 filters': manyFilters,
    'common and common, none has both': [
      [`breed=${breed(0)}`, `city=${city(4_900)}`, 'sex=unknown', 'coat=long'],
      ['categoryId=8', 'species=Dog'],
      ['species=Cat', 'categoryId=1'],
      [`tag=${TAGS[0]}`, `tag=${TAGS[1]}`, 'species=Cat', 'categoryId=1'],
    ],
    'words: common with a rare filter': [
      [`q=${word(0)}`, ...RARE],
      [`q=${word(3)}`, `city=${city(900)}`],
    ],
    'nearest within 100 km': [0, 8, 400].map((rank) => near(rank, 100)),
    'by name': [
      ['sort=name', 'species=Dog'],
      ['sort=name', ...RARE],
    ],
  }
}

/** Random queries with one to five filters, from animals or from values that may not occur together. */
export function generatedQuestions(animals: PetView[], count: number, seed = 11): Record<string, Question[]> {
  const random = fractionsFrom(seed)
  const pick = () => animals[Math.floor(random() * animals.length)] as PetView
  const rank = (most: number) => Math.floor(random() ** 3 * most)
  const filters = (): Question =>
    random() < 0.6
      ? some(filtersOf(pick()), 1 + rank(5), random)
      : [
          `breed=${breed(rank(300))}`,
          ...(random() < 0.5 ? [`region=${region(rank(60))}`] : []),
          ...some(filtersOf(pick()).slice(0, 10), rank(4), random),
        ]
  const words = (): string => `q=${word(rank(20_000))}${random() < 0.4 ? ` ${word(rank(2_000))}` : ''}.`
  const sometimes = (chance: number): Question => (random() < chance ? filters().slice(0, 1) : [])
  const times = (share: number, make: () => Question) =>
    Array.from({ length: Math.round(count * share) }, make)
  return {
    'generated filters': times(0.6, filters),
    'generated words': times(0.25, () => [words(), ...sometimes(0.3)]),
    'generated, nearest': times(0.15, () => [
      ...near(rank(5_000), [50, 100, 160][rank(3)] ?? 100),
      ...sometimes(0.5),
    ]),
  }
}
