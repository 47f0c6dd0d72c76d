import { FIRST_CATEGORIES } from '../db/migrations/categories.ts'
import type { PetStatus } from '../pets/fields.ts'

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

/** The animals of a shelter that does not exist, as NDJSON; the same ones each time. */
export function* sampleAnimals(count: number): Generator<string> {
  for (let i = 0; i < count; i += 1) {
    const name = `${at(BEGINNINGS, i)}${at(ENDINGS, Math.floor(i / BEGINNINGS.length) + i)}`
    const kind = i % 10 < KINDS.length ? at(KINDS, i % 10) : Math.floor(i / 10) % FIRST_CATEGORIES.length
    const status = at(STATUSES, i + Math.floor(i / 7))
    yield `${JSON.stringify({ name, category: FIRST_CATEGORIES[kind], status })}\n`
  }
}

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item
}
