import type { Db } from '../db/tables.ts'
import { takeTurns } from '../search/turns.ts'
import type { Wanted } from './filters.ts'
import { readSearched } from './index-animals.ts'
import { newestMatching } from './matching.ts'
import { placeTokenOf } from './order-keys.ts'
import type { SearchedRow } from './tokens.ts'

/** Behind so many matches, the newest, no more are counted. */
export const MAX_MATCHES = 10_000
/** Of more animals that have the tokens nobody looks whether they fit. */
const MAX_LOOKED_AT = 2 * MAX_MATCHES
const CHUNK = 200

export interface Counts {
  matches: number
  /** Whether there are more matches than were counted. */
  approximate: boolean
}

/** Goes through the newest animals that fit. @param see is given each */
export async function countMatching(
  db: Db,
  { question, isWithin }: Wanted,
  see: (id: number, row: SearchedRow) => void,
): Promise<Counts> {
  const most = isWithin ? MAX_LOOKED_AT : MAX_MATCHES
  const ids = await newestMatching(db, question, most + 1)
  let matches = 0
  for (let from = 0; from < Math.min(ids.length, most); from += CHUNK) {
    for (const [id, ...row] of await readSearched(db, ids.slice(from, Math.min(from + CHUNK, most)))) {
      const [, , , , organizationId, , publicPart, , publishedAt, updatedAt] = row
      const place = isWithin && placeTokenOf(publicPart, organizationId)
      if (isWithin && !isWithin({ publishedAt, updatedAt, place })) continue
      if (matches === MAX_MATCHES) return { matches, approximate: true }
      matches += 1
      see(id, row)
    }
    await takeTurns()
  }
  return { matches, approximate: ids.length > most }
}
