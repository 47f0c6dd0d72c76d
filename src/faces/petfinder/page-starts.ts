import type { Position } from '../../pets/search/matching.ts'

// A search starts at a position, but these clients request pages by number. The positions at which pages
// start are therefore remembered. A page without a remembered start is read from the nearest one before it.

/** The maximum number of remembered starts, in all lists together. Each start takes about 100 bytes. */
const MAX_STARTS = 50_000

export interface PageStart {
  /** The number of animals before the position in the list. */
  index: number
  /** Undefined at the start of the list. */
  position: Position | undefined
  /** The version of the store in which the animals before the position were read. */
  version?: number | undefined
}

interface StoredStart extends PageStart {
  at: number
}

/**
 * @param clock Unix time in milliseconds; it may jump in both directions
 * @param maxAgeMs how long a start is remembered; if absent, as long as there is room
 */
export function pageStarts(clock: () => number, maxAgeMs = Number.POSITIVE_INFINITY) {
  /** Maps each list to its starts, by index. Both maps have the most recently used entry last. */
  const lists = new Map<string, Map<number, StoredStart>>()
  let startCount = 0

  const isFresh = ({ at }: StoredStart): boolean => Math.abs(clock() - at) < maxAgeMs

  /** Removes the oldest start of the least recently read list, so active clients lose none. */
  function forgetOldest(): void {
    const [oldest] = lists
    const [index] = oldest?.[1].keys() ?? []
    if (!oldest || index === undefined) return
    oldest[1].delete(index)
    startCount -= 1
    if (oldest[1].size === 0) lists.delete(oldest[0])
  }

  function oldestIsOver(): boolean {
    const [oldest] = lists.values()
    const [first] = oldest?.values() ?? []
    return first !== undefined && !isFresh(first)
  }

  return {
    /** The nearest remembered start at or before an index. */
    nearest(list: string, index: number): PageStart {
      const starts = lists.get(list)
      const exact = starts?.get(index)
      if (exact && isFresh(exact)) return exact
      let best: PageStart = { index: 0, position: undefined }
      for (const start of starts?.values() ?? [])
        if (start.index <= index && start.index >= best.index && isFresh(start)) best = start
      return best
    },
    keep(list: string, start: PageStart & { position: Position }): void {
      const starts = lists.get(list) ?? new Map<number, StoredStart>()
      lists.delete(list)
      lists.set(list, starts)
      if (!starts.delete(start.index)) startCount += 1
      starts.set(start.index, { ...start, at: clock() })
      while (startCount > MAX_STARTS || (startCount > 1 && oldestIsOver())) forgetOldest()
    },
    forget(list: string): void {
      startCount -= lists.get(list)?.size ?? 0
      lists.delete(list)
    },
  }
}
