import { sql } from 'kysely'
import { dialectOf } from '../../db/dialect.ts'
import { isTimeout } from '../../db/engine-errors.ts'
import type { Db } from '../../db/tables.ts'
import type { View } from '../../http/caller.ts'
import { yieldToEventLoop } from '../../http/turns.ts'
import { compareBytes, fold } from '../../search/words.ts'
import type { FacetQuery, PetFacets } from '../schema.ts'
import { COUNTED } from './entry.ts'
import { type Criteria, criteriaOf, type Finder, type Near } from './filters.ts'
import { requireBounds, type SearchQuery } from './find.ts'
import { countByPlace, countUpTo, type Position, readKeys } from './matching.ts'
import { atOrganization, type TokenQuery } from './tokens.ts'

// Counts the animals that match a query. For some filters, also counts the animals with each value.

/** The maximum number of animals that are counted. If there are more matches, only the newest are counted. */
const MAX_MATCHES = 10_000
/** The maximum number of animals with the tokens that are tested for a match. */
const MAX_TESTED = 2 * MAX_MATCHES
/** The maximum number of values that are returned for one filter. */
const MAX_VALUES = 100
/** The number of values to process before yielding to the event loop. */
const VALUE_BATCH_SIZE = 1_000
/** The number of animals to read at once from SQLite. Other requests wait during the read. */
const BATCH_SIZE = 1_000

export interface Counts {
  matches: number
  /** True if there are more matches than the number that was counted. */
  approximate: boolean
}

/** The values of an animal in `pet_search`, and the token of the animal's place. */
interface ValueRow {
  counted: string
  place: string | null
}

interface Row extends ValueRow {
  id: number
  publishedAt: number
  updatedAt: number
}
const COLUMNS = sql`
  s.pet_id as id, s.place, s.published as "publishedAt", s.updated as "updatedAt", s.counted
`

/** Reads the newest animals that match, newest first. @param visit is called with each animal */
async function countMatching(
  db: Db,
  { tokenQuery, isWithin }: Criteria,
  visit: (animal: ValueRow) => void,
): Promise<Counts> {
  const max = isWithin ? MAX_TESTED : MAX_MATCHES
  const batchSize = dialectOf(db).engine === 'sqlite' ? BATCH_SIZE : max + 1
  let [matches, tested] = [0, 0]
  let after: Position | undefined
  for (;;) {
    const limit = Math.min(batchSize, max + 1 - tested)
    const reading = { tokenQuery, direction: 'desc', after, limit } as const
    const rows = await readKeys<Row>(db, reading, COLUMNS)
    for (const { id, place, publishedAt, updatedAt, counted } of rows) {
      after = [0, id]
      tested += 1
      if (tested > max) return { matches, approximate: true }
      if (isWithin && !isWithin({ publishedAt, updatedAt, place })) continue
      if (matches === MAX_MATCHES) return { matches, approximate: true }
      matches += 1
      visit({ counted, place })
    }
    if (rows.length < limit) return { matches, approximate: false }
    await yieldToEventLoop()
  }
}

/** For each folded value: how many animals have it, and how the newest of them spells it. */
export type ValueCounts = Map<string, { count: number; written: string }>

/** Counts the values of the filters in `facet`, and returns the most frequent values. */
export async function countFacets(
  finder: Finder,
  { facet, ...filters }: FacetQuery,
  view: View,
): Promise<PetFacets> {
  requireBounds({ ...filters, limit: 1, sort: '-id' })
  const criteria = await criteriaOf(finder, filters, view)
  const addresses = new Map(
    (await finder.organizations()).map(({ id, address }) => [atOrganization(id), address]),
  )
  const counts = [...new Set(facet)].map((name) => ({ name, lists: new Map<string, number>() }))
  const count = (lists: Map<string, number>, list: string): void =>
    void lists.set(list, (lists.get(list) ?? 0) + 1)
  const listsAt = COUNTED.map((filter) => counts.find(({ name }) => name === filter)?.lists)
  while (listsAt.length > 0 && !listsAt.at(-1)) listsAt.pop()
  const matching = await countMatching(finder.db, criteria, ({ counted, place }) => {
    const address = place === null ? undefined : addresses.get(place)
    let begin = 0
    for (let at = 0; at < listsAt.length; at += 1) {
      const lists = listsAt[at]
      const end = counted.indexOf('\n', begin)
      if (lists) {
        const there = address?.[COUNTED[at] as keyof typeof address]
        count(
          lists,
          there === undefined ? counted.slice(begin, end < 0 ? undefined : end) : JSON.stringify([there]),
        )
      }
      begin = end < 0 ? counted.length : end + 1
    }
  })
  const named: PetFacets['facets'] = {}
  for (const { name, lists } of counts) {
    const most = await mostCounted(await valuesIn(lists), MAX_VALUES)
    named[name] = most.map(([, { count, written }]) => ({ value: written, count }))
    await yieldToEventLoop()
  }
  return { ...matching, facets: named }
}

/** @param lists the number of animals for each list of values; the list of the newest animal comes first */
async function valuesIn(lists: Map<string, number>): Promise<ValueCounts> {
  const values: ValueCounts = new Map()
  let processed = 0
  for (const [list, count] of lists) {
    if (list === '') continue
    processed += 1
    if (processed % VALUE_BATCH_SIZE === 0) await yieldToEventLoop()
    for (const written of JSON.parse(list) as string[]) {
      const value = fold(written)
      const one = values.get(value)
      if (one) one.count += count
      else values.set(value, { count, written })
    }
  }
  return values
}

type ValueCount = [value: string, { count: number; written: string }]

const compare = ([one, a]: ValueCount, [other, b]: ValueCount): number =>
  b.count - a.count || compareBytes(one, other)

/** @returns the most frequent values, in order. Does not sort all values, because there may be very many */
export async function mostCounted(counts: ValueCounts, limit: number): Promise<ValueCount[]> {
  let most: ValueCount[] = []
  let candidates: ValueCount[] = []
  const merge = (): void => {
    most = [...most, ...candidates].sort(compare).slice(0, limit)
    candidates = []
  }
  let processed = 0
  for (const one of counts) {
    const last = most[limit - 1]
    if (one[0] !== '' && (!last || compare(one, last) < 0)) candidates.push(one)
    if (candidates.length === limit) merge()
    processed += 1
    if (processed % VALUE_BATCH_SIZE === 0) await yieldToEventLoop()
  }
  merge()
  return most
}

export interface MatchCount {
  count: number
  isExact: boolean
}

/** Counting stops at this number of matches. */
const MAX_COUNTED = 1_000_000

/**
 * Counts the animals that match. The count is exact up to 1,000,000. It is exact only up to 10,000 if a
 * filter contains a time, or if PostgreSQL cannot count the matches in time.
 * @throws {ApiError} as `searchByTokens`
 */
export async function countMatches(finder: Finder, query: SearchQuery): Promise<MatchCount> {
  const criteria = await criteriaOf(finder, query)
  const { tokenQuery, near } = criteria
  if (criteria.hasMoments) {
    const { matches, approximate } = await countMatching(finder.db, criteria, () => undefined)
    return { count: matches, isExact: !approximate }
  }
  if (!near) return countTokens(finder.db, tokenQuery)
  return { count: await countNear(finder.db, tokenQuery, near), isExact: true }
}

async function countNear(db: Db, tokenQuery: TokenQuery, near: Near): Promise<number> {
  let count = 0
  for (const [place, animals] of await countByPlace(db, tokenQuery))
    if (near.metersOf.has(place ?? '')) count += animals
  return count
}

/**
 * Counts the animals that match, up to 10,000. Public pages use this count, which is cheap for every query.
 * @param query a query without times
 * @returns undefined if there are too many animals to count the animals near a place, or if the database is
 *   busy
 */
export async function countFew(finder: Finder, query: SearchQuery): Promise<MatchCount | undefined> {
  const { tokenQuery, near } = await criteriaOf(finder, query)
  try {
    const count = await countUpTo(finder.db, tokenQuery, MAX_MATCHES + 1)
    const isExact = count <= MAX_MATCHES
    if (!near) return { count: Math.min(count, MAX_MATCHES), isExact }
    return isExact ? { count: await countNear(finder.db, tokenQuery, near), isExact } : undefined
  } catch (error) {
    if (!isTimeout(error)) throw error
    return undefined
  }
}

async function countTokens(db: Db, tokenQuery: TokenQuery): Promise<MatchCount> {
  try {
    const count = await countUpTo(db, tokenQuery, MAX_COUNTED)
    return { count, isExact: count < MAX_COUNTED }
  } catch (error) {
    if (!isTimeout(error)) throw error
    return { count: await countUpTo(db, tokenQuery, MAX_MATCHES), isExact: false }
  }
}
