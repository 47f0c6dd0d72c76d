import type { Db } from '../../../db/tables.ts'
import { summaries } from '../../../pets/summaries.ts'
import type { Animal } from './animal.ts'

/** What cards show of animals, by id; an ETag says which state of each is meant. */
export type Summaries = (animals: { id: number; etag: string }[]) => Promise<Map<number, Animal>>

/** So many animals are remembered, of a kilobyte each. */
const MOST_REMEMBERED = 4_000

/** The newest are on many pages: what they show is read once, and again when they change. */
export function keptSummaries(db: Db, photosAt: string): Summaries {
  const kept = new Map<string, Animal>()
  return async (animals) => {
    const found = new Map<number, Animal>()
    for (const { id, etag } of animals) {
      const animal = kept.get(etag)
      if (animal) found.set(id, animal)
    }
    const unknown = animals.flatMap(({ id }) => (found.has(id) ? [] : [id]))
    // As it is now, where it has changed since it was found.
    for (const [etag, animal] of await summaries(db, unknown, photosAt)) {
      if (kept.size >= MOST_REMEMBERED) kept.clear()
      kept.set(etag, animal)
      found.set(animal.id, animal)
    }
    return found
  }
}
