import { FIRST_CATEGORIES } from '../src/db/migrations/categories.ts'
import type { NewOrganization } from '../src/organizations/schema.ts'
import type { NewPet } from '../src/pets/schema.ts'

// Animals with a realistic distribution (Zipf): few breeds, places, tags and words are very common, and most
// are rare. The animals are the same each time.

export const ORGANIZATIONS = 2_000
const PLACES = 5_000
const BREEDS = 300
const WORDS = 20_000
const NAMES = 4_000
const DESCRIPTION_WORDS = 60

type Random = () => number

/** The generator mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

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
export function word(rank: number): string {
  let text = ''
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    text += SYLLABLES[rest % SYLLABLES.length]
  return text
}

const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
export const breed = (rank: number): string => `${titled(word(rank * 7))} ${titled(word(rank + 40))}`
export const city = (rank: number): string => `${titled(word(rank + 300))}ville`
export const region = (rank: number): string => `Region ${rank % 60}`

/** A place near one of a few centres. */
function place(rank: number) {
  const random = randomFrom(rank + 1)
  const middle = randomFrom((rank % 40) + 77)
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
export const placeOf = (rank: number) => PLACE_OF[rank % PLACES] as ReturnType<typeof place>

export function organizations(): NewOrganization[] {
  return Array.from({ length: ORGANIZATIONS }, (_, index) => {
    const { latitude, longitude, ...address } = placeOf(index * 2)
    return { code: `shelter-${index}`, name: `Shelter ${index}`, address, latitude, longitude }
  })
}

const COLORS = ['Black', 'White', 'Brown', 'Gray', 'Golden', 'Red', 'Cream', 'Blue', 'Silver', 'Calico']
export const TAGS = ['calm', 'playful', 'shy', 'curious', 'loves walks', 'lap sitter', 'beginner'].concat(
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
  const draw = createSampler(randomFrom(seed))
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
