import { hash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { RenderOptions } from '../../pets/row.ts'
import { countMatches, type MatchCount } from '../../pets/search/facets.ts'
import type { Finder } from '../../pets/search/filters.ts'
import {
  type SearchQuery,
  type SearchResult,
  type SearchStart,
  scopeOf,
  searchByTokens,
} from '../../pets/search/find.ts'
import type { Position } from '../../pets/search/matching.ts'
import type { AnimalList } from './animal-query.ts'
import type { PageStart } from './page-starts.ts'
import { SELECTION } from './shapes.ts'

/** The maximum number of animals skipped to reach a page. */
export const MAX_SKIPPED = 10_000
/** The maximum number of searches for one page. If a search ends early, the next one continues it. */
const MAX_ROUNDS = 10

/** A request for a page, with a query that can match animals. */
export interface PageOrder extends AnimalList {
  query: SearchQuery
  /** A hash of the query, because a query can be as long as a URL. */
  hash: string
  /** The number of animals before the page. */
  index: number
  show: RenderOptions
}

export const toOrder = (list: AnimalList, query: SearchQuery, show: RenderOptions): PageOrder => ({
  ...{ ...list, query, show, index: (list.page - 1) * list.limit },
  hash: hash('sha256', scopeOf(query, 'public'), 'base64'),
})

interface Reading {
  /** The start of the search, which skips the animals from there to the index. */
  start: PageStart
  index: number
  count: number
}

/** Reads animals of a list. If it ends early, also returns how many were still to be skipped. */
type ReadAnimals = (
  order: PageOrder,
  reading: Reading,
) => Promise<{ animals: SearchResult[]; remainingSkip: number }>

const animalReader =
  (finder: Finder): ReadAnimals =>
  async ({ query, show }, { start, index, count }) => {
    let after: Position | undefined = start.position
    let skip = index - start.index
    const animals: SearchResult[] = []
    for (let round = 0; round < MAX_ROUNDS && animals.length < count; round += 1) {
      const pageQuery = { ...query, limit: count - animals.length }
      const search: SearchStart = { query: pageQuery, selection: SELECTION, after, skip }
      const { found, next, remainingSkip = 0 } = await searchByTokens(finder, search, show)
      animals.push(...found.slice(0, count - animals.length))
      after = next
      skip = remainingSkip
      if (next === undefined) break
    }
    return { animals, remainingSkip: skip }
  }

/** Compares positions in the order of the query. */
export function compareIn({ sort }: SearchQuery, one: Position, other: Position): number {
  const order = Number(one[0]) - Number(other[0]) || one[1] - other[1]
  return sort.startsWith('-') ? -order : order
}

/** After every change, the animals of a list up to this length are counted again. */
const MAX_EXACT = 10_000
/** The maximum age of the count of a longer list. */
const MAX_COUNT_AGE_MS = 60_000
/** The maximum number of cached counts. */
const MAX_COUNTS = 1_000

interface CachedCount extends MatchCount {
  version: number
  at: number
}

export interface Total extends MatchCount {
  /** Unix time in milliseconds until which the count of a long list may be used. */
  until?: number
}

/** The positions at which a page of a list and the next page begin. Undefined at the start of the list. */
export interface PageBounds {
  start?: Position | undefined
  next?: Position | undefined
}

/** Some animals of a list, and how many the list has. */
export interface AnimalPage extends PageBounds {
  animals: SearchResult[]
  total: Total
}

function toTotal({ count, isExact, at }: CachedCount): Total {
  return { count, isExact, ...(count > MAX_EXACT && { until: at + MAX_COUNT_AGE_MS }) }
}

/** Caches the count of a list until data changes, and the count of a long list for at least a minute. */
function totals({ version, clock }: Pick<Context, 'version' | 'clock'>) {
  const counts = new Map<string, CachedCount>()
  const counting = new Map<string, Promise<CachedCount>>()

  async function count(list: string, read: () => Promise<MatchCount>): Promise<CachedCount> {
    const since = { version: version('pages'), at: clock() }
    const counted = { ...since, ...(await read()) }
    const [oldest] = counts.keys()
    if (counts.size >= MAX_COUNTS && oldest !== undefined) counts.delete(oldest)
    counts.set(list, counted)
    return counted
  }

  return async (list: string, read: () => Promise<MatchCount>): Promise<Total> => {
    const before = counts.get(list)
    if (before?.version === version('pages')) {
      // Nothing has changed since the count, so the count is still exact.
      before.at = clock()
      return toTotal(before)
    }
    if (before && before.count > MAX_EXACT && Math.abs(clock() - before.at) < MAX_COUNT_AGE_MS)
      return toTotal(before)
    // A count that began before a change may not include the change.
    const key = `${version('pages')} ${list}`
    const begun = counting.get(key) ?? count(list, read).finally(() => counting.delete(key))
    counting.set(key, begun)
    return toTotal(await begun)
  }
}

/** Reads and counts the animals of lists. */
export interface AnimalSource {
  read: ReadAnimals
  totalOf(order: PageOrder): Promise<Total>
}

export function animalSource(finder: Finder, context: Pick<Context, 'version' | 'clock'>): AnimalSource {
  const countOf = totals(context)
  return {
    read: animalReader(finder),
    totalOf: ({ hash: list, query }) => countOf(list, () => countMatches(finder, query)),
  }
}
