import { ADDRESS_FILTERS, type OrganizationPlace } from '../organizations/places.ts'
import type { Areas } from './areas.ts'
import type { FacetName } from './facet-schemas.ts'
import { AREA_TOKENS, AT_ORGANIZATION, token } from './tokens.ts'

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
  /** Tokens of the areas of organizations, by what they are counted as. */
  areas: ReadonlyMap<FacetName, string>
  /** Animals whose rows were read. */
  lookedAt: number[]
  /** Rows of the index that were read of the last block. */
  rowsOfABlock: number
}

export interface Places {
  organizations: OrganizationPlace[]
  areas: Pick<Areas, 'areWhole'>
}

export function newTally(facets: FacetName[], { organizations, areas: { areWhole } }: Places): Tally {
  // Of the others each organization has to be asked for anyway.
  const doAreas = areWhole && !facets.includes('city') && !facets.includes('postcode')
  return {
    values: new Map(facets.map((facet) => [facet, new Map()])),
    areas: new Map(doAreas ? Object.entries(AREA_TOKENS).map(([of, area]) => [of as FacetName, area]) : []),
    addresses: new Map(organizations.map(({ id, address }) => [token(AT_ORGANIZATION, id), address])),
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

const FILTER_OF_AREA = new Map<string, string>(Object.entries(AREA_TOKENS).map(([of, area]) => [area, of]))

function note(counts: Map<string, Count> | undefined, value: string, count: number, newest: number): void {
  const before = counts?.get(value) ?? { count: 0, newest: 0 }
  counts?.set(value, { count: before.count + count, newest: Math.max(before.newest, newest) })
}
