import type { Db } from '../db/tables.ts'
import type { Point } from '../places/distance.ts'
import { fold, wordsOf } from '../search/words.ts'
import type { Organization } from './schema.ts'

export const ADDRESS_FILTERS = ['country', 'region', 'postcode', 'city'] as const
export type AddressFilter = (typeof ADDRESS_FILTERS)[number]

/** Where an organization is, as it is searched: its animals are there that say nothing else. */
export interface OrganizationPlace {
  id: number
  /** Its address as it is written. */
  told: Record<string, string>
  /** The same as it is compared. */
  address: Partial<Record<AddressFilter, string>>
  words: ReadonlySet<string>
  point: Point | undefined
}

/**
 * Reads where all organizations are, and keeps it: there are as many as a country has shelters.
 *
 * @param version another one when an organization may have changed
 */
export function organizationPlaces(db: Db, version: () => number): () => Promise<OrganizationPlace[]> {
  let kept: { at: number; places: OrganizationPlace[] } | undefined
  return async () => {
    const at = version()
    if (kept?.at !== at) {
      const rows = await db.selectFrom('organization').select(['id', 'profile']).orderBy('id').execute()
      kept = { at, places: rows.map(({ id, profile }) => placeOf(id, JSON.parse(profile))) }
    }
    return kept.places
  }
}

function placeOf(
  id: number,
  { address = {}, latitude, longitude }: Partial<Organization>,
): OrganizationPlace {
  const told = ADDRESS_FILTERS.flatMap((filter) => {
    const value = address[filter]
    return value === undefined ? [] : [[filter, value] as const]
  })
  const isKnown = latitude !== undefined && longitude !== undefined
  return {
    id,
    told: Object.fromEntries(told),
    address: Object.fromEntries(told.map(([filter, value]) => [filter, fold(value)])),
    words: new Set(told.flatMap(([, value]) => wordsOf(value))),
    point: isKnown ? { latitude, longitude } : undefined,
  }
}
