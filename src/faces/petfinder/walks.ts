import type { Position } from '../../pets/order.ts'

// Pages by number in lists that are made by position: where a page began is kept for a while, so that who
// reads page after page pays for none twice. Whoever jumps has the way from the nearest known place to go.

/** So many animals are passed over for one page at most. */
export const MOST_PASSED = 10_000
/** In all lists together; each takes some hundred bytes. */
const MOST_KEPT = 50_000
/** Longer than anybody takes for a page. What comes or goes before a page meanwhile has moved it a little. */
const KEPT_MS = 600_000

interface Kept {
  position: Position
  at: number
}

/** @param clock in milliseconds, which nobody can set */
export function walks(clock: () => number) {
  const lists = new Map<string, Map<number, Kept>>()
  let kept = 0

  function forgetOldest(): void {
    const [oldest] = lists
    if (!oldest) return
    kept -= oldest[1].size
    lists.delete(oldest[0])
  }

  return {
    /** The nearest known place at or before one. @param place how many animals come before it */
    nearest(list: string, place: number): { place: number; position: Position | undefined } {
      let best: { place: number; position: Position | undefined } = { place: 0, position: undefined }
      const exact = lists.get(list)?.get(place)
      if (exact && clock() - exact.at < KEPT_MS) return { place, position: exact.position }
      for (const [at, { position, at: since }] of lists.get(list) ?? [])
        if (at <= place && at >= best.place && clock() - since < KEPT_MS) best = { place: at, position }
      return best
    },
    keep(list: string, place: number, position: Position): void {
      const places = lists.get(list) ?? new Map<number, Kept>()
      // The list that was used last is forgotten last.
      lists.delete(list)
      lists.set(list, places)
      if (!places.has(place)) kept += 1
      places.set(place, { position, at: clock() })
      while (kept > MOST_KEPT) forgetOldest()
    },
  }
}
