import { ROWS } from '../db/many-rows.ts'
import { ADDRESS_FILTERS, type OrganizationPlace } from '../organizations/places.ts'
import {
  type Bits,
  blockOf,
  clearBit,
  countBits,
  firstIdOf,
  hasBit,
  offsetsDown,
  sharedWith,
} from '../search/bits.ts'
import { evaluate, takeTurns } from '../search/evaluate.ts'
import { postingsFrom } from '../search/postings.ts'
import { readSearched } from './changed.ts'
import type { FacetName } from './facet-schemas.ts'
import type { Residual, Wanted } from './filters.ts'
import type { Search } from './order.ts'
import { AT_ORGANIZATION, type SearchedRow, token } from './tokens.ts'

// How many of the animals that a search finds have each value of a filter.

/** Behind so many matches, the newest, no more are counted. */
const MOST_MATCHES = 10_000
const BLOCKS_AT_ONCE = 8

interface Count {
  count: number
  /** The newest animal with it, which says how the value is written. */
  newest: number
}

export interface Counts {
  matches: number
  /** Whether there are more matches than were counted. */
  approximate: boolean
  /** By filter, then by value as it is compared. */
  values: Map<FacetName, Map<string, Count>>
}

export async function countFacets(
  search: Search,
  { question, isWithin }: Wanted,
  facets: FacetName[],
  organizations: OrganizationPlace[],
): Promise<Counts> {
  const counts: Counts = { matches: 0, approximate: false, values: new Map() }
  for (const facet of facets) counts.values.set(facet, new Map())
  const { db, recent, work, highest } = search
  for (let block = blockOf(highest); block >= 0; ) {
    const length = Math.min(BLOCKS_AT_ONCE, block + 1)
    const blocks = Array.from({ length }, (_, index) => block - index)
    const found = await evaluate(db, recent, question, blocks, work)
    if (isWithin) for (const one of blocks) await keepWithin(search, one, found.get(one), isWithin)
    const counted = blocks.filter((one) => take(found.get(one), counts))
    await countIn(search, counted, found, counts, organizations)
    if (counts.approximate || work.left < 0) return { ...counts, approximate: true }
    block -= length
  }
  return counts
}

/**
 * Leaves of a block those that fit where the index does not know: so many of the newest that no more are
 * counted.
 */
async function keepWithin(
  search: Search,
  block: number,
  bits: Bits | undefined,
  isWithin: Residual,
): Promise<void> {
  if (!bits) return
  const offsets = [...offsetsDown(bits)]
  for (const offset of offsets.slice(MOST_MATCHES)) clearBit(bits, offset)
  for (let from = 0; from < Math.min(offsets.length, MOST_MATCHES); from += ROWS) {
    const ids = offsets.slice(from, from + ROWS).map((offset) => firstIdOf(block) + offset)
    const rows = await readSearched(search.db, ids)
    const fitting = new Set(rows.flatMap(([id, , ...row]) => (isWithin(timesOf(row)) ? [id] : [])))
    for (const id of ids) if (!fitting.has(id)) clearBit(bits, id - firstIdOf(block))
    await takeTurns(search.work)
  }
}

const timesOf = (row: SearchedRow) => ({ publishedAt: row[8], updatedAt: row[9] })

/** Takes the newest matches of a block, as long as there is room. @returns whether there are any */
function take(bits: Bits | undefined, counts: Counts): boolean {
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

async function countIn(
  { db, recent, work }: Search,
  blocks: number[],
  found: Map<number, Bits>,
  counts: Counts,
  organizations: OrganizationPlace[],
): Promise<void> {
  if (blocks.length === 0) return
  const addresses = new Map(organizations.map(({ id, address }) => [token(AT_ORGANIZATION, id), address]))
  for (const block of blocks) {
    const bits = found.get(block) as Bits
    for (const [id, { tokens }] of recent.inBlock(block)) {
      if (!hasBit(bits, id - firstIdOf(block))) continue
      for (const one of tokens ?? []) noteToken(counts, addresses, one, 1, id)
      // What the index says of it is of before.
      clearBit(bits, id - firstIdOf(block))
    }
  }
  const prefixes = [...counts.values.keys()].map((facet) => token(facet, ''))
  if (ADDRESS_FILTERS.some((filter) => counts.values.has(filter))) prefixes.push(token(AT_ORGANIZATION, ''))
  for (const [prefix, block] of prefixes.flatMap((prefix) =>
    blocks.map((block) => [prefix, block] as const),
  )) {
    const postings = await postingsFrom(db, [block], prefix)
    work.left -= postings.length
    for (const [, one, ids] of postings) {
      const { count, last } = sharedWith(found.get(block) as Bits, ids)
      if (count > 0) noteToken(counts, addresses, one, count, firstIdOf(block) + last)
    }
    await takeTurns(work)
  }
}

function noteToken(
  { values }: Counts,
  addresses: Map<string, OrganizationPlace['address']>,
  one: string,
  count: number,
  newest: number,
): void {
  const address = addresses.get(one)
  if (address) {
    for (const filter of ADDRESS_FILTERS)
      if (address[filter] !== undefined) note(values.get(filter), address[filter], count, newest)
    return
  }
  const filter = one.slice(0, one.indexOf(':'))
  note(values.get(filter as FacetName), one.slice(filter.length + 1), count, newest)
}

function note(counts: Map<string, Count> | undefined, value: string, count: number, newest: number): void {
  const before = counts?.get(value) ?? { count: 0, newest: 0 }
  counts?.set(value, { count: before.count + count, newest: Math.max(before.newest, newest) })
}
