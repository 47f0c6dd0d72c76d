import { FIRST_CATEGORIES } from '../db/migrations/categories.ts'
import type { PetStatus } from '../pets/fields.ts'
import type { NewPet } from '../pets/schema.ts'

// Made of syllables, so that nobody's animal is meant.
const BEGINNINGS = ['Ba', 'Do', 'Fi', 'Gu', 'Ki', 'Lo', 'Mi', 'Nu', 'Pa', 'Ru', 'So', 'Ti', 'Vo', 'Wa', 'Zu']
const ENDINGS = ['bo', 'dle', 'fy', 'gan', 'ko', 'lin', 'mo', 'nna', 'po', 'rri', 'ssy', 'ttle', 'x']

/** Of ten animals in a shelter; the tenth is not listed yet. */
const STATUSES: (PetStatus | undefined)[] = [
  ...Array<PetStatus>(6).fill('available'),
  'pending',
  'sold',
  'sold',
  undefined,
]

/** Of ten animals, as many dogs and cats as a shelter has. */
const KINDS = [0, 0, 0, 0, 1, 1, 1, 1, 2]

/** Of each of the first categories, with what a typical one weighs, in grams. */
const BREEDS: [breeds: string[], grams: number][] = [
  [['Beagle', 'Border Collie', 'Boxer', 'Dachshund', 'German Shepherd', 'Labrador Retriever'], 20_000],
  [['Domestic Shorthair', 'Domestic Longhair', 'Maine Coon', 'Persian', 'Siamese', 'Tabby'], 4_000],
  [['Dutch', 'Flemish Giant', 'Holland Lop', 'Lionhead', 'Rex'], 2_000],
  [['Chinchilla', 'Ferret', 'Gerbil', 'Guinea Pig', 'Hamster', 'Rat'], 500],
  [['Appaloosa', 'Arabian', 'Haflinger', 'Quarter Horse', 'Shetland Pony'], 450_000],
  [['Budgie', 'Canary', 'Cockatiel', 'Lovebird', 'Zebra Finch'], 40],
  [['Bearded Dragon', 'Corn Snake', 'Goldfish', 'Leopard Gecko', 'Tortoise'], 400],
  [['Alpaca', 'Chicken', 'Goat', 'Pig', 'Sheep'], 30_000],
]
const COLORS = ['Black', 'White', 'Brown', 'Gray', 'Golden', 'Red', 'Cream']
const SEXES = ['female', 'male', 'female', 'male', 'unknown'] as const
const SIZES = ['small', 'medium', 'large', 'medium'] as const
const COATS = ['short', 'medium', 'long'] as const
const TAGS = ['calm', 'playful', 'shy', 'curious', 'loves walks', 'lap sitter', 'senior friend', 'beginner']
const SENTENCES = [
  'Came to us when the old home became too small, and has settled in well.',
  'Knows the daily rounds by heart and waits at the door long before anybody else hears a step.',
  'Needs a few days to trust people; after that there is no better company.',
  'Eats well, sleeps well, and is used to being handled by the vet.',
  'A quiet place with a routine would be best to begin with.',
  'Would rather share a sofa than a garden.',
]
const PLACES = [
  { city: 'Utrecht', region: 'Utrecht', country: 'NL', latitude: 52.0907, longitude: 5.1214 },
  { city: 'Portland', region: 'Oregon', country: 'US', latitude: 45.5152, longitude: -122.6784 },
  { city: 'Halifax', region: 'Nova Scotia', country: 'CA', latitude: 44.6488, longitude: -63.5752 },
]

/** The animals of a shelter that does not exist, as NDJSON; the same ones each time. */
export function* sampleAnimals(count: number): Generator<string> {
  for (let i = 0; i < count; i += 1) {
    const name = `${at(BEGINNINGS, i)}${at(ENDINGS, Math.floor(i / BEGINNINGS.length) + i)}`
    const kind = i % 10 < KINDS.length ? at(KINDS, i % 10) : Math.floor(i / 10) % FIRST_CATEGORIES.length
    const status = at(STATUSES, i + Math.floor(i / 7))
    yield `${JSON.stringify({ name, category: FIRST_CATEGORIES[kind], status, ...profileOf(i, kind) })}\n`
  }
}

/** Each member goes round at another pace, so that they meet in many ways. */
function profileOf(i: number, kind: number): Omit<NewPet, 'name' | 'categoryId' | 'status'> {
  const [breeds, grams] = at(BREEDS, kind)
  const turn = (every: number): number => Math.floor(i / every)
  const isMixed = i % 3 === 0
  const secondary = isMixed ? at(breeds, i + turn(3) + 1 + (i % 4)) : undefined
  const walks = kind < 2
  return {
    breed: { primary: at(breeds, i + turn(3)), ...(secondary && { secondary }), mixed: isMixed },
    colors: [at(COLORS, i + turn(5)), at(COLORS, i + turn(5) + 2 + (i % 3))].slice(0, 1 + (i % 2)),
    ...(kind < 4 && { coat: at(COATS, turn(2)) }),
    birthDate: `${2012 + ((i * 7) % 14)}-${twoDigits(1 + (i % 12))}-${twoDigits(1 + ((i * 5) % 28))}`,
    birthDateExact: i % 4 === 0,
    sex: at(SEXES, i + turn(6)),
    size: at(SIZES, turn(2)),
    weightGrams: Math.round(grams * (0.6 + ((i * 13) % 90) / 100)),
    description: [0, 1, 2].map((more) => at(SENTENCES, i + turn(7) + more * 2)).join('\n'),
    traits: {
      spayedNeutered: i % 4 !== 1,
      vaccinated: i % 5 !== 2,
      ...(walks && { houseTrained: i % 3 > 0 }),
    },
    ...(walks && { goodWith: { children: i % 4 !== 3, dogs: i % 3 !== 1, cats: i % 2 === 0 } }),
    tags: [at(TAGS, i), at(TAGS, i + 3)],
    fee: { amount: 2_500 * (1 + (i % 12)), currency: 'EUR' },
    place: at(PLACES, turn(4)),
    staff: {
      intakeKind: at(['stray', 'surrender', 'transfer'], i),
      kennel: `${at(['A', 'B', 'C'], turn(9))}${1 + (i % 40)}`,
    },
  }
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item
}
