import { ADDRESS_FILTERS, type OrganizationPlace } from '../organizations/places.ts'
import { FILTER_OF_AREA } from './areas.ts'
import type { FacetName } from './facet-schemas.ts'
import type { Places } from './filters.ts'
import { AT_ORGANIZATION, token } from './tokens.ts'

// What has been counted of some filters.

export interface Count {
  count: number
  /** The newest animal with it, which says how the value is written. */
  newest: number
}

/** By filter, then by value as it is compared. */
export type ValueCounts = Map<FacetName, Map<string, Count>>

export interface Tally {
  values: ValueCounts
  addresses: Map<string, OrganizationPlace['address']>
  /** Whether countries and regions are counted by the areas of the index, and not by its organizations. */
  byArea: boolean
  /** Animals whose rows were read. */
  lookedAt: number[]
  /** Rows of the index that were read of the last block. */
  rowsOfABlock: number
}

/** @param places absent where nothing is counted of them */
export function newTally(facets: FacetName[], places?: Pick<Places, 'organizations' | 'areas'>): Tally {
  // For a city or postcode each organization is read anyway.
  const asksForEach = facets.includes('city') || facets.includes('postcode')
  const addresses = places?.organizations.map(
    ({ id, address }) => [token(AT_ORGANIZATION, id), address] as const,
  )
  return {
    values: new Map(facets.map((facet) => [facet, new Map()])),
    byArea: places?.areas.isUpToDate === true && !asksForEach,
    addresses: new Map(addresses),
    lookedAt: [],
    rowsOfABlock: 0,
  }
}

export function noteToken({ values, addresses }: Tally, one: string, count: number, newest: number): void {
  const address = addresses.get(one)
  if (address) {
    for (const filter of ADDRESS_FILTERS)
      if (address[filter] !== undefined) note(values.get(filter), address[filter], count, newest)
    return
  }
  const filter = one.slice(0, one.indexOf(':'))
  const facet = (FILTER_OF_AREA.get(filter) ?? filter) as FacetName
  note(values.get(facet), one.slice(filter.length + 1), count, newest)
}

function note(counts: Map<string, Count> | undefined, value: string, count: number, newest: number): void {
  const before = counts?.get(value) ?? { count: 0, newest: 0 }
  counts?.set(value, { count: before.count + count, newest: Math.max(before.newest, newest) })
}
