import { blockOf, countBits } from '../search/bits.ts'
import { evaluate } from '../search/evaluate.ts'
import { takeTurns } from '../search/turns.ts'
import { countFacets } from './count-facets.ts'
import type { Wanted } from './filters.ts'
import type { Asked } from './find.ts'
import { type Finder, searching } from './finder.ts'
import { MOST_BLOCKS, type Search } from './order.ts'
import { requireBounds } from './query.ts'

/** Rows of the index that one count reads at most. */
const MOST_WORK = 200_000

/**
 * How many animals fit: exactly, but for more than 10,000 with a moment in a filter, which are counted by
 * days, and for what takes more to read than a count may, which is guessed from a part.
 *
 * @throws {ApiError} as `find`
 */
export function countMatches(finder: Finder, query: Asked): Promise<number> {
  requireBounds(query)
  const filters = { filters: query, mostWork: MOST_WORK }
  return searching(
    finder.db,
    finder,
    filters,
    ({ search, wanted }) => countIn(search, wanted),
    () => [],
  )
}

async function countIn(search: Search, wanted: Wanted): Promise<number> {
  if (wanted.isWithin) {
    const { matches, approximate } = await countFacets(search, wanted, [], [])
    if (!approximate) return matches
  }
  const { db, recent, work, highest } = search
  const all = blockOf(highest) + 1
  let count = 0
  for (let first = 0; first < all; first += MOST_BLOCKS) {
    const blocks = Array.from({ length: Math.min(MOST_BLOCKS, all - first) }, (_, index) => first + index)
    const { found, unsure } = await evaluate(db, recent, wanted.question, blocks, work)
    // The animals themselves have to be looked at: of those at most 10,000 are counted.
    if (unsure.size > 0) return (await countFacets(search, wanted, [], [])).matches
    for (const bits of found.values()) count += countBits(bits)
    const seen = first + blocks.length
    if (work.left < 0 && seen < all) return Math.round((count * all) / seen)
    await takeTurns()
  }
  return count
}
