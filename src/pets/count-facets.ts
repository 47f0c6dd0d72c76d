import { type Bits, blockOf, clearBit, countBits, firstIdOf, idsIn, offsetsDown } from '../search/bits.ts'
import { evaluate } from '../search/evaluate.ts'
import { takeTurns } from '../search/turns.ts'
import { readSearched } from './changed.ts'
import { countIn, ROWS_TO_READ_VALUES } from './count-in-blocks.ts'
import type { FacetName } from './facet-schemas.ts'
import type { Places, Residual, Wanted } from './filters.ts'
import { LOOKED_AT_ONCE, lookAt } from './look-at.ts'
import type { Search } from './order.ts'
import { newTally, type ValueCounts } from './tally.ts'
import type { SearchedRow } from './tokens.ts'

// How many of the animals that a search finds have each value of a filter.

/** Behind so many matches, the newest, no more are counted. */
const MOST_MATCHES = 10_000
const BLOCKS_AT_ONCE = 8

export interface Counts {
  matches: number
  /** Whether there are more matches than were counted. */
  approximate: boolean
  values: ValueCounts
  /** Animals whose rows were read. */
  lookedAt: number[]
}

export async function countFacets(
  search: Search,
  { question, isWithin }: Wanted,
  facets: FacetName[],
  places?: Pick<Places, 'organizations' | 'areas'>,
): Promise<Counts> {
  const taken = { matches: 0, approximate: false }
  const tally = newTally(facets, places)
  const within = isWithin && ((ids: number[]) => areWithin(search, isWithin, ids))
  const { db, recent, work, highest } = search
  for (let block = blockOf(highest); block >= 0; ) {
    const length = Math.min(BLOCKS_AT_ONCE, block + 1)
    const blocks = Array.from({ length }, (_, index) => block - index)
    const { found, unsure } = await evaluate(db, recent, question, blocks, work)
    for (const one of unsure)
      await keepThose(search, one, found.get(one), taken, (ids) => lookAt(search, question, ids))
    if (within) for (const one of blocks) await keepThose(search, one, found.get(one), taken, within)
    for (const one of blocks) if (!take(found.get(one), taken)) found.delete(one)
    await countIn(search, found, tally)
    if (work.left < 0) taken.approximate = true
    if (taken.approximate) break
    block -= length
  }
  return { ...taken, values: tally.values, lookedAt: tally.lookedAt }
}

/** Of some animals those whose moments fit: the index knows days. */
async function areWithin({ db, work }: Search, isWithin: Residual, ids: number[]): Promise<number[]> {
  work.left -= ids.length * ROWS_TO_READ_VALUES
  const rows = await readSearched(db, ids)
  return rows.flatMap(([id, , ...row]) => (isWithin(timesOf(row)) ? [id] : []))
}

/** Leaves of a block those that fit: the newest, where they are as many as are counted, or the work ends. */
async function keepThose(
  { work }: Search,
  block: number,
  bits: Bits | undefined,
  counts: Pick<Counts, 'matches' | 'approximate'>,
  fit: (ids: number[]) => Promise<number[]>,
): Promise<void> {
  if (!bits) return
  const ids = idsIn(block, bits).reverse()
  let room = MOST_MATCHES - counts.matches
  for (let from = 0; from < ids.length; from += LOOKED_AT_ONCE) {
    const some = ids.slice(from, from + LOOKED_AT_ONCE)
    // One step at least, so that there is something to count.
    const goesOn = from === 0 || (work.left >= 0 && room >= 0)
    if (!goesOn) counts.approximate = true
    const fitting = new Set(goesOn ? await fit(some) : [])
    room -= fitting.size
    for (const id of some) if (!fitting.has(id)) clearBit(bits, id - firstIdOf(block))
    if (goesOn) await takeTurns()
  }
}

const timesOf = (row: SearchedRow) => ({ publishedAt: row[8], updatedAt: row[9] })

/** Takes the newest matches of a block, as long as there is room. @returns whether there are any */
function take(bits: Bits | undefined, counts: Pick<Counts, 'matches' | 'approximate'>): boolean {
  if (!bits) return false
  const room = MOST_MATCHES - counts.matches
  const count = countBits(bits)
  if (count > room) {
    counts.approximate = true
    let kept = 0
    for (const offset of offsetsDown(bits)) {
      kept += 1
      if (kept > room) clearBit(bits, offset)
    }
  }
  counts.matches += Math.min(count, room)
  return count > 0 && room > 0
}
