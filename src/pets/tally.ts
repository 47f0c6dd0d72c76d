import { fold } from '../search/words.ts'
import type { FacetName } from './facet-schemas.ts'
import { type SearchedRow, valuesIn } from './tokens.ts'

// What has been counted of some filters.

export interface Count {
  count: number
  /** The newest animal with it, which says how the value is written. */
  newest: number
  written: string
}

/** By filter, then by value as it is compared. */
export type ValueCounts = Map<FacetName, Map<string, Count>>

/**
 * @param told addresses of organizations by their ids
 * @returns the counts, and what notes an animal in them
 */
export function newTally(facets: FacetName[], told: ReadonlyMap<number, Record<string, string>>) {
  const values: ValueCounts = new Map(facets.map((facet) => [facet, new Map()]))
  function see(id: number, row: SearchedRow): void {
    for (const [index, written] of valuesIn(row, facets, told).entries()) {
      const counts = values.get(facets[index] as FacetName) as Map<string, Count>
      for (const [value, text] of new Map(written.flatMap((one) => (one ? [[fold(one), one]] : []))))
        note(counts, value, text, id)
    }
  }
  return { values, see }
}

function note(counts: Map<string, Count>, value: string, written: string, id: number): void {
  const count = counts.get(value)
  if (!count) {
    counts.set(value, { count: 1, newest: id, written })
    return
  }
  count.count += 1
  if (id > count.newest) Object.assign(count, { newest: id, written })
}
