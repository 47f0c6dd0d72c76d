import { hash } from 'node:crypto'
import type { RenderOptions } from '../../pets/row.ts'
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
/**
 * The maximum number of searches for one page. A search may end early, and the next search then continues it.
 */
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

/**
 * Reads animals of a list. If the list ends early, also returns how many animals were still to be skipped.
 */
export type ReadAnimals = (
  order: PageOrder,
  reading: Reading,
) => Promise<{ animals: SearchResult[]; remainingSkip: number }>

export const animalReader =
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
  return sort === '-publishedAt' ? -order : order
}
