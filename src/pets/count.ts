import { type Bits, blockOf, countBits, idsIn } from '../search/bits.ts'
import { evaluate } from '../search/evaluate.ts'
import { takeTurns } from '../search/turns.ts'
import { work as workOf } from '../search/work.ts'
import { countFacets } from './count-facets.ts'
import type { Wanted } from './filters.ts'
import type { Asked } from './find.ts'
import { type Finder, searching } from './finder.ts'
import { lookAt } from './look-at.ts'
import { MOST_BLOCKS, type Search } from './order.ts'

/** Rows of the index that one count reads at most. */
const MOST_WORK = 200_000
/** So many are looked at where the index is not sure. */
const MOST_LOOKED_AT = 2_000

export interface Matches {
  count: number
  isExact: boolean
}

/**
 * How many animals fit: exactly, but for more than 10,000 with a moment in a filter, which are counted by
 * days, and for what takes more to read than a count may, which is guessed from a part, or has more.
 *
 * @throws {ApiError} as `find`
 */
export function countMatches(finder: Finder, query: Asked): Promise<Matches> {
  const filters = { filters: query, mostWork: MOST_WORK }
  return finder.inTurn(() =>
    searching(
      finder.db,
      finder,
      filters,
      ({ search, wanted }) => countIn(search, wanted),
      () => [],
    ),
  )
}

async function countIn(search: Search, wanted: Wanted): Promise<Matches> {
  if (wanted.isWithin) {
    const { matches, approximate } = await countFacets(search, wanted, [])
    if (!approximate) return { count: matches, isExact: true }
  }
  const { db, recent, work, highest } = search
  const all = blockOf(highest) + 1
  let [count, lookedAt] = [0, 0]
  for (let first = 0; first < all; first += MOST_BLOCKS) {
    const blocks = Array.from({ length: Math.min(MOST_BLOCKS, all - first) }, (_, index) => first + index)
    const { found, unsure } = await evaluate(db, recent, wanted.question, blocks, work)
    for (const block of unsure) {
      const ids = idsIn(block, found.get(block) as Bits)
      found.delete(block)
      lookedAt += ids.length
      // Too many to look at: the newest 10,000 are counted.
      if (lookedAt > MOST_LOOKED_AT) {
        const again = { ...search, work: workOf(MOST_WORK) }
        const { matches, approximate } = await countFacets(again, wanted, [])
        return { count: matches, isExact: !approximate }
      }
      count += (await lookAt(search, wanted.question, ids)).length
    }
    for (const bits of found.values()) count += countBits(bits)
    const seen = first + blocks.length
    if (work.left < 0 && seen < all) return { count: Math.round((count * all) / seen), isExact: false }
    await takeTurns()
  }
  return { count, isExact: wanted.isWithin === undefined }
}
