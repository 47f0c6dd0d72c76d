import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Point } from '../places/distance.ts'
import { takeTurns } from '../search/turns.ts'
import { wordsOf } from '../search/words.ts'
import type { Organization } from './schema.ts'

export const ADDRESS_FILTERS = ['country', 'region', 'postcode', 'city'] as const
export type AddressFilter = (typeof ADDRESS_FILTERS)[number]

/** Where an organization is, as it is searched: its animals are there that say nothing else. */
export interface OrganizationPlace {
  id: number
  /** Its address as it is written, by filter. */
  address: Partial<Record<AddressFilter, string>>
  words: ReadonlySet<string>
  point: Point | undefined
}

const readProfiles = prepared<object, { id: number; profile: string }>((db) =>
  db.selectFrom('organization').select(['id', 'profile']).orderBy('id'),
)

/** An organization as it is searched, and the text that this was read from. */
interface Kept {
  profile: string
  place: OrganizationPlace
}

/**
 * Reads where all organizations are, and keeps it: there are as many as a country has shelters.
 *
 * @param version another one when an organization may have changed
 */
export function organizationPlaces(db: Db, version: () => number): () => Promise<OrganizationPlace[]> {
  let seen: number | undefined
  let known = new Map<number, Kept>()
  let places: OrganizationPlace[] = []
  return async () => {
    const at = version()
    if (at === seen) return places
    const read = new Map<number, Kept>()
    for (const { id, profile } of await readProfiles(db, {})) {
      // Mostly it was an animal that changed.
      let kept = known.get(id)
      if (kept?.profile !== profile) {
        kept = { profile, place: placeOf(id, JSON.parse(profile)) }
        await takeTurns()
      }
      read.set(id, kept)
    }
    const all = [...read.values()].map(({ place }) => place)
    // The same list as long as nothing of it changed: what is made of it is kept by it.
    if (all.length !== places.length || all.some((place, index) => place !== places[index])) places = all
    known = read
    seen = at
    return places
  }
}

/** Those of some organizations, by their ids. */
export async function organizationPlacesOf(db: Db, ids: number[]): Promise<Map<number, OrganizationPlace>> {
  if (ids.length === 0) return new Map()
  const some = db
    .selectFrom('organization')
    .select(['id', 'profile'])
    .where('id', 'in', [...new Set(ids)])
  const rows = await some.execute()
  return new Map(rows.map(({ id, profile }) => [id, placeOf(id, JSON.parse(profile))]))
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
    address: Object.fromEntries(told),
    words: new Set(told.flatMap(([, value]) => wordsOf(value))),
    point: isKnown ? { latitude, longitude } : undefined,
  }
}
