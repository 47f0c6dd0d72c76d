import { sql } from 'kysely'
import { dialectOf } from '../../db/dialect.ts'
import { isTimeout } from '../../db/in-time.ts'
import type { Db } from '../../db/tables.ts'
import { takeTurns } from '../../search/turns.ts'
import { compareBytes, fold } from '../../search/words.ts'
import type { FacetQuery, PetFacets } from '../filter-schemas.ts'
import { requireBounds } from '../query.ts'
import type { Wanted } from './filters.ts'
import { type Finder, type SearchQuery, wantedOf } from './find.ts'
import { countByPlace, countUpTo, readKeys } from './matching.ts'
import type { Question } from './question.ts'
import { atOrganization, COUNTED } from './tokens.ts'

// How many animals fit, and how many of them have each value of some filters.

/** More matches than these are not counted: the newest are. */
const MAX_MATCHES = 10_000
/** So many animals are read at most, of those that have the tokens, to see whether they fit. */
const MAX_LOOKED_AT = 2 * MAX_MATCHES
/** Of one filter. */
const MAX_VALUES = 100
/** So many values are gone through before others get their turn. */
const VALUE_BATCH_SIZE = 1_000
/** Of SQLite so many animals are read at once: it holds up all other requests. */
const CHUNK = 1_000
/** For so long PostgreSQL may follow its own plan. */
const FIRST_PLAN_MS = 400

export interface Counts {
  matches: number
  /** Whether there are more matches than were counted. */
  approximate: boolean
}

/** The values of an animal, as the table of search keeps them, and the token of where it is. */
interface Counted {
  counted: string
  place: string | null
}

interface Row extends Counted {
  id: number
  publishedAt: number
  updatedAt: number
}
const COLUMNS = sql`
  s.pet_id as id, s.place, s.published as "publishedAt", s.updated as "updatedAt", s.counted
`

/** Goes through the newest animals that fit, from the newest on. @param see is given each */
async function countMatching(
  db: Db,
  { question, isWithin }: Wanted,
  see: (animal: Counted) => void,
): Promise<Counts> {
  const most = isWithin ? MAX_LOOKED_AT : MAX_MATCHES
  const chunk = dialectOf(db).engine === 'sqlite' ? CHUNK : most + 1
  let [matches, lookedAt] = [0, 0]
  let behind: readonly [number, number] | undefined
  for (;;) {
    const limit = Math.min(chunk, most + 1 - lookedAt)
    const reading = { question, direction: 'desc', behind, limit, firstPlanMs: FIRST_PLAN_MS } as const
    const rows = await readKeys<Row>(db, reading, COLUMNS)
    for (const { id, place, publishedAt, updatedAt, counted } of rows) {
      behind = [0, id]
      lookedAt += 1
      if (lookedAt > most) return { matches, approximate: true }
      if (isWithin && !isWithin({ publishedAt, updatedAt, place })) continue
      if (matches === MAX_MATCHES) return { matches, approximate: true }
      matches += 1
      see({ counted, place })
    }
    if (rows.length < limit) return { matches, approximate: false }
    await takeTurns()
  }
}

/** By value as it is compared: how many have it, and how the newest of them writes it. */
export type ValueCounts = Map<string, { count: number; written: string }>

/** Those values that most animals have. */
export async function facets(finder: Finder, { facet, ...filters }: FacetQuery): Promise<PetFacets> {
  requireBounds({ ...filters, limit: 1, sort: '-id' })
  const wanted = await wantedOf(finder, filters)
  const addresses = new Map(
    (await finder.organizations()).map(({ id, address }) => [atOrganization(id), address]),
  )
  const counts = [...new Set(facet)].map((name) => ({
    name,
    at: (COUNTED as readonly string[]).indexOf(name),
    lists: new Map<string, number>(),
  }))
  const matching = await countMatching(finder.db, wanted, ({ counted, place }) => {
    const own = counted.split('\n')
    const address = place === null ? undefined : addresses.get(place)
    for (const { name, at, lists } of counts) {
      const there = address?.[name as keyof typeof address]
      const list = there === undefined ? (own[at] ?? '') : JSON.stringify([there])
      lists.set(list, (lists.get(list) ?? 0) + 1)
    }
  })
  const named: PetFacets['facets'] = {}
  for (const { name, lists } of counts) {
    const most = await mostCounted(await valuesIn(lists), MAX_VALUES)
    named[name] = most.map(([, { count, written }]) => ({ value: written, count }))
    await takeTurns()
  }
  return { ...matching, facets: named }
}

/** @param lists how many animals have each list of values, from that of the newest animal on */
async function valuesIn(lists: Map<string, number>): Promise<ValueCounts> {
  const values: ValueCounts = new Map()
  let seen = 0
  for (const [list, count] of lists) {
    if (list === '') continue
    seen += 1
    if (seen % VALUE_BATCH_SIZE === 0) await takeTurns()
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

/** The values that most have, in order. There may be more of them than animals: not all are sorted. */
export async function mostCounted(counts: ValueCounts, limit: number): Promise<ValueCount[]> {
  let most: ValueCount[] = []
  let better: ValueCount[] = []
  const sift = (): void => {
    most = [...most, ...better].sort(compare).slice(0, limit)
    better = []
  }
  let seen = 0
  for (const one of counts) {
    const last = most[limit - 1]
    if (one[0] !== '' && (!last || compare(one, last) < 0)) better.push(one)
    if (better.length === limit) sift()
    seen += 1
    if (seen % VALUE_BATCH_SIZE === 0) await takeTurns()
  }
  sift()
  return most
}

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
export async function countMatches(finder: Finder, query: SearchQuery): Promise<Matches> {
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
