import type { Context } from '../../context.ts'
import type { Matches } from '../../pets/search/facets.ts'

/** So many are counted anew whenever anything has changed. */
const EXACT = 10_000
/** Above that a count may be so old. */
const MOST_OLD_MS = 60_000
const MOST_KEPT = 1_000

interface Counted extends Matches {
  version: number
  at: number
}

export interface Total extends Matches {
  /** Of a long list: until when it may be told. */
  until?: number
}

function toTotal({ count, isExact, at }: Counted): Total {
  return { count, isExact, ...(count > EXACT && { until: at + MOST_OLD_MS }) }
}

/** Counts of lists, kept while nothing changes, and those of long lists for a minute. */
export function totals({ version, clock }: Pick<Context, 'version' | 'clock'>) {
  const known = new Map<string, Counted>()
  const counting = new Map<string, Promise<Counted>>()

  async function count(list: string, read: () => Promise<Matches>): Promise<Counted> {
    const since = { version: version('pages'), at: clock() }
    const counted = { ...since, ...(await read()) }
    const [oldest] = known.keys()
    if (known.size >= MOST_KEPT && oldest !== undefined) known.delete(oldest)
    known.set(list, counted)
    return counted
  }

  return async (list: string, read: () => Promise<Matches>): Promise<Total> => {
    const before = known.get(list)
    if (before?.version === version('pages')) {
      // While nothing changes it is as good as counted now.
      before.at = clock()
      return toTotal(before)
    }
    if (before && before.count > EXACT && Math.abs(clock() - before.at) < MOST_OLD_MS) return toTotal(before)
    const begun = counting.get(list) ?? count(list, read).finally(() => counting.delete(list))
    counting.set(list, begun)
    return toTotal(await begun)
  }
}
