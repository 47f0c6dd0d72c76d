import { isTimeout } from '../../db/in-time.ts'
import type { Db } from '../../db/tables.ts'
import { countMatching, MAX_MATCHES } from './facets.ts'
import type { Asked } from './find.ts'
import { type Finder, wantedOf } from './finder.ts'
import { countByPlace, countUpTo } from './matching.ts'
import type { Question } from './question.ts'

export interface Matches {
  count: number
  isExact: boolean
}

/** Of more nobody goes through all pages: they are counted up to here. */
const MAX_COUNTED = 1_000_000

/**
 * How many animals fit: exactly, but for more than 10,000 with a moment in a filter, or of which PostgreSQL
 * cannot count all in time.
 *
 * @throws {ApiError} as `find`
 */
export async function countMatches(finder: Finder, query: Asked): Promise<Matches> {
  const wanted = await wantedOf(finder, query)
  const { question, near } = wanted
  if (wanted.hasMoments) {
    const { matches, approximate } = await countMatching(finder.db, wanted, () => undefined)
    return { count: matches, isExact: !approximate }
  }
  if (!near) return countTokens(finder.db, question)
  let count = 0
  for (const { place, count: animals } of await countByPlace(finder.db, question))
    if (near.metersOf.has(place ?? '')) count += Number(animals)
  return { count, isExact: true }
}

async function countTokens(db: Db, question: Question): Promise<Matches> {
  try {
    const count = await countUpTo(db, question, MAX_COUNTED)
    return { count, isExact: count < MAX_COUNTED }
  } catch (error) {
    if (!isTimeout(error)) throw error
    return { count: await countUpTo(db, question, MAX_MATCHES), isExact: false }
  }
}
