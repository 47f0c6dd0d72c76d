import type { Position } from '../../pets/search/candidates.ts'

// Lists here are read from a position on, and these clients ask for pages by number. So it is remembered for
// a while where each page began: a client that reads page after page pays for none twice. For a page that
// nobody came to, the list is read on from the nearest remembered one.

/** So many animals are passed over for one page at most. */
export const MOST_PASSED = 10_000
/** In all lists together; each takes some hundred bytes. */
const MOST_KEPT = 50_000
/** Longer than anybody takes for a page. What comes or goes before a page meanwhile has moved it a little. */
const KEPT_MS = 600_000

export interface PageStart {
  /** How many animals of the list come before it. */
  index: number
  /** Undefined at the beginning of the list. */
  position: Position | undefined
}

interface Kept {
  position: Position
  at: number
}

/** @param clock Unix time in milliseconds, which somebody may set */
export function pageStarts(clock: () => number) {
  /** By list, those of each by their index. The list read last comes last, and so does its last start. */
  const lists = new Map<string, Map<number, Kept>>()
  let kept = 0

  const isFresh = ({ at }: Kept): boolean => Math.abs(clock() - at) < KEPT_MS

  /** The oldest start of the list that was not read for the longest: a client that reads on loses none. */
  function forgetOldest(): void {
    const [oldest] = lists
    const [index] = oldest?.[1].keys() ?? []
    if (!oldest || index === undefined) return
    oldest[1].delete(index)
    kept -= 1
    if (oldest[1].size === 0) lists.delete(oldest[0])
  }

  function oldestIsOver(): boolean {
    const [oldest] = lists.values()
    const [first] = oldest?.values() ?? []
    return first !== undefined && !isFresh(first)
  }

  return {
    /** The nearest one that is remembered, at an index or before it. @param list its name, which is kept */
    nearest(list: string, index: number): PageStart {
      const starts = lists.get(list)
      const exact = starts?.get(index)
      if (exact && isFresh(exact)) return { index, position: exact.position }
      let best: PageStart = { index: 0, position: undefined }
      for (const [at, start] of starts ?? [])
        if (at <= index && at >= best.index && isFresh(start)) best = { index: at, position: start.position }
      return best
    },
    keep(list: string, index: number, position: Position): void {
      const starts = lists.get(list) ?? new Map<number, Kept>()
      lists.delete(list)
      lists.set(list, starts)
      if (!starts.delete(index)) kept += 1
      starts.set(index, { position, at: clock() })
      while (kept > MOST_KEPT || (kept > 1 && oldestIsOver())) forgetOldest()
    },
  }
}
