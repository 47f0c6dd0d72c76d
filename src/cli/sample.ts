import type { Command } from 'commander'
import { FIRST_CATEGORIES } from '../db/migrations/categories.ts'
import type { PetStatus } from '../pets/fields.ts'
import type { NewPet } from '../pets/schema.ts'
import { type CommandContext, parseCount } from './command.ts'
import { writeText } from './export.ts'

export function sampleCommand(program: Command, { stdout }: CommandContext): void {
  program
    .command('sample')
    .description('print made-up animals for `adoptable import -`')
    .option('--animals <count>', 'number of animals', parseCount, 10_000)
    .action(async ({ animals }: { animals: number }) => {
      await writeText('-', stdout, sampleAnimals(animals))
    })
}

// Names are made of syllables, so they match no real animal.
const BEGINNINGS = ['Ba', 'Do', 'Fi', 'Gu', 'Ki', 'Lo', 'Mi', 'Nu', 'Pa', 'Ru', 'So', 'Ti', 'Vo', 'Wa', 'Zu']
const ENDINGS = ['bo', 'dle', 'fy', 'gan', 'ko', 'lin', 'mo', 'nna', 'po', 'rri', 'ssy', 'ttle', 'x']

/** The statuses of ten animals; the last one is unlisted. */
const STATUSES: (PetStatus | undefined)[] = [
  ...Array<PetStatus>(6).fill('available'),
  'pending',
  'sold',
  'sold',
  undefined,
]

/** Categories of nine out of ten animals: mostly dogs and cats, as in a shelter. */
const KINDS = [0, 0, 0, 0, 1, 1, 1, 1, 2]

/** Breeds and typical weight in grams, for each category of a new store. */
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

/** Generates made-up animals as NDJSON. Every run generates the same animals. */
export function* sampleAnimals(count: number): Generator<string> {
  for (let i = 0; i < count; i += 1) {
    const name = `${pick(BEGINNINGS, i)}${pick(ENDINGS, Math.floor(i / BEGINNINGS.length) + i)}`
    const kind = i % 10 < KINDS.length ? pick(KINDS, i % 10) : Math.floor(i / 10) % FIRST_CATEGORIES.length
    const status = pick(STATUSES, i + Math.floor(i / 7))
    yield `${JSON.stringify({ name, category: FIRST_CATEGORIES[kind], status, ...profileOf(i, kind) })}\n`
  }
}

/** Each field cycles with a different period, so many combinations occur. */
function profileOf(i: number, kind: number): Omit<NewPet, 'name' | 'categoryId' | 'status'> {
  const [breeds, grams] = pick(BREEDS, kind)
  const turn = (every: number): number => Math.floor(i / every)
  const isMixed = i % 3 === 0
  const secondary = isMixed ? pick(breeds, i + turn(3) + 1 + (i % 4)) : undefined
  const isPet = kind < 2
  return {
    breed: { primary: pick(breeds, i + turn(3)), ...(secondary && { secondary }), mixed: isMixed },
    colors: [pick(COLORS, i + turn(5)), pick(COLORS, i + turn(5) + 2 + (i % 3))].slice(0, 1 + (i % 2)),
    ...(kind < 4 && { coat: pick(COATS, turn(2)) }),
    birthDate: `${2012 + ((i * 7) % 14)}-${twoDigits(1 + (i % 12))}-${twoDigits(1 + ((i * 5) % 28))}`,
    birthDateExact: i % 4 === 0,
    sex: pick(SEXES, i + turn(6)),
    size: pick(SIZES, turn(2)),
    weightGrams: Math.round(grams * (0.6 + ((i * 13) % 90) / 100)),
    description: [0, 1, 2].map((more) => pick(SENTENCES, i + turn(7) + more * 2)).join('\n'),
    traits: {
      spayedNeutered: i % 4 !== 1,
      vaccinated: i % 5 !== 2,
      ...(isPet && { houseTrained: i % 3 > 0 }),
    },
    ...(isPet && { goodWith: { children: i % 4 !== 3, dogs: i % 3 !== 1, cats: i % 2 === 0 } }),
    tags: [pick(TAGS, i), pick(TAGS, i + 3)],
    fee: { amount: 2_500 * (1 + (i % 12)), currency: 'EUR' },
    place: pick(PLACES, turn(4)),
    staff: {
      intakeKind: pick(['stray', 'surrender', 'transfer'], i),
      kennel: `${pick(['A', 'B', 'C'], turn(9))}${1 + (i % 40)}`,
    },
  }
}

const twoDigits = (number: number): string => String(number).padStart(2, '0')

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item
}
