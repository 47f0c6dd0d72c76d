import type { Context } from '../../context.ts'

/** So many are counted anew whenever anything has changed. */
export const EXACT = 10_000
/** Above that a count may be so old. */
export const MOST_OLD_MS = 60_000
const MOST_KEPT = 1_000

interface Total {
  count: number
  version: number
  at: number
}

/** Counts of lists, kept while nothing changes, and those of long lists for a minute. */
export function totals({ version }: Pick<Context, 'version'>, clock: () => number) {
  const known = new Map<string, Total>()
  const counting = new Map<string, Promise<number>>()

  async function count(list: string, read: () => Promise<number>): Promise<number> {
    const since = { version: version('pages'), at: clock() }
    const total = await read()
    const [oldest] = known.keys()
    if (known.size >= MOST_KEPT && oldest !== undefined) known.delete(oldest)
    known.set(list, { ...since, count: total })
    return total
  }

  return async (list: string, read: () => Promise<number>): Promise<number> => {
    const before = known.get(list)
    if (before) {
      const isLong = before.count > EXACT && clock() - before.at < MOST_OLD_MS
      if (isLong || before.version === version('pages')) return before.count
    }
    const begun = counting.get(list) ?? count(list, read).finally(() => counting.delete(list))
    counting.set(list, begun)
    return begun
  }
}
