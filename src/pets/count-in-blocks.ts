import { ROWS } from '../db/many-rows.ts'
import { ADDRESS_FILTERS } from '../organizations/places.ts'
import {
  addEncoded,
  type Bits,
  clearBit,
  countBits,
  firstIdOf,
  hasBit,
  idsIn,
  noBits,
  sharedWith,
  subtract,
} from '../search/bits.ts'
import { postingsFrom } from '../search/postings.ts'
import { takeTurns } from '../search/turns.ts'
import { AREA_TOKENS } from './areas.ts'
import { readSearched } from './changed.ts'
import type { Search } from './order.ts'
import { placeTokenOf, readInSteps, readOrdered } from './order-keys.ts'
import { noteToken, type Tally } from './tally.ts'
import { AT_ORGANIZATION, type SearchedRow, token, valueTokensOf } from './tokens.ts'

// What the matches of some blocks have of some filters: from the index, or from the rows of the animals,
// whichever is less to read.

/** To read and parse an animal costs as much as so many rows of the index; to read where it is, as these. */
export const ROWS_TO_READ_VALUES = 8
const ROWS_OF_A_PLACE = 3

export async function countIn(search: Search, found: Map<number, Bits>, tally: Tally): Promise<void> {
  const few: number[] = []
  const placeless: number[] = []
  for (const [block, bits] of found) {
    noteRecent(search, block, bits, tally)
    const count = countBits(bits)
    if (count * ROWS_TO_READ_VALUES < tally.rowsOfABlock) few.push(...idsIn(block, bits))
    else if (count > 0) {
      const inIndex = await countByIndex(search, block, bits, tally)
      if (inIndex) placeless.push(...inIndex)
      else few.push(...idsIn(block, bits))
    }
  }
  for await (const row of readInSteps(search.db, few, readSearched)) noteAnimal(tally, row)
  for await (const [id, , organizationId, publicPart] of readInSteps(search.db, placeless, readOrdered)) {
    const at = placeTokenOf(publicPart, organizationId)
    if (at !== undefined && tally.addresses.has(at)) noteToken(tally, at, 1, id)
  }
  tally.lookedAt.push(...few, ...placeless)
}

/** What the index says of those that have changed is of before. */
function noteRecent({ recent }: Search, block: number, bits: Bits, tally: Tally): void {
  for (const [id, { tokens }] of recent.inBlock(block)) {
    if (!hasBit(bits, id - firstIdOf(block))) continue
    for (const one of tokens ?? []) noteToken(tally, one, 1, id)
    clearBit(bits, id - firstIdOf(block))
  }
}

/**
 * @returns animals of which the index would have to be asked for every organization, or undefined where the
 * index has more to read than the animals themselves
 */
async function countByIndex(
  search: Search,
  block: number,
  bits: Bits,
  tally: Tally,
): Promise<number[] | undefined> {
  const placed = noBits()
  const reading: Reading = { block, bits, counted: [], rows: 0, most: countBits(bits) * ROWS_TO_READ_VALUES }
  let asksForPlaces = false
  for (const facet of tally.values.keys()) {
    const area = tally.byArea && isAreaFilter(facet) ? AREA_TOKENS[facet] : undefined
    if (area) await readTokens(search, reading, token(area, ''))
    const isAddress = !area && ADDRESS_FILTERS.some((filter) => filter === facet)
    await readTokens(search, reading, token(facet, ''), isAddress ? placed : undefined)
    asksForPlaces ||= isAddress
  }
  const placeless = Uint32Array.from(bits)
  subtract(placeless, placed)
  const isFew = countBits(placeless) * ROWS_OF_A_PLACE < tally.addresses.size
  if (asksForPlaces && !isFew) await readTokens(search, reading, token(AT_ORGANIZATION, ''))
  tally.rowsOfABlock = reading.rows
  if (reading.rows > reading.most) return undefined
  for (const [index, one] of reading.counted.entries()) {
    noteToken(tally, ...one)
    if (index % ROWS === 0) await takeTurns()
  }
  return asksForPlaces && isFew ? idsIn(block, placeless) : []
}

const isAreaFilter = (facet: string): facet is keyof typeof AREA_TOKENS => facet in AREA_TOKENS

/** What is read of the index for one block. */
interface Reading {
  block: number
  bits: Bits
  counted: [token: string, count: number, newest: number][]
  rows: number
  /** More rows are not read. */
  most: number
}

/** @param having takes all animals that have one of the tokens */
async function readTokens(
  { db, work }: Search,
  reading: Reading,
  beginning: string,
  having?: Bits,
): Promise<void> {
  const { block, bits, counted } = reading
  for await (const some of postingsFrom(db, block, beginning)) {
    work.left -= some.length
    reading.rows += some.length
    if (reading.rows > reading.most) return
    for (const [one, ids] of some) {
      if (having) addEncoded(having, ids)
      const { count, last } = sharedWith(bits, ids)
      if (count > 0) counted.push([one, count, firstIdOf(block) + last])
    }
    await takeTurns()
  }
}

function noteAnimal(tally: Tally, [id, , ...row]: [id: number, version: number, ...SearchedRow]): void {
  for (const one of valueTokensOf(row)) noteToken(tally, one, 1, id)
}
