import type { Context } from '../../context.ts'
import type { MatchCount } from '../../pets/search/facets.ts'
import type { SearchResult } from '../../pets/search/find.ts'
import type { Position } from '../../pets/search/matching.ts'

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
export function totals({ version, clock }: Pick<Context, 'version' | 'clock'>) {
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
