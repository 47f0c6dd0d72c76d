import type { Db } from '../db/tables.ts'
import type { Point } from '../places/distance.ts'
import { findCoordinates, findPatchedCoordinates } from '../places/gazetteer.ts'
import { wordsOf } from '../search/words.ts'
import type { NewOrganization, Organization, OrganizationPatch } from './schema.ts'
import * as organizations from './store.ts'

export const ADDRESS_FILTERS = ['country', 'region', 'postcode', 'city'] as const
export type AddressFilter = (typeof ADDRESS_FILTERS)[number]

/**
 * The location of an organization, for searches. An animal without a location has the location of its
 * organization.
 */
export interface OrganizationPlace {
  id: number
  /** The parts of the organization's address, by filter. */
  address: Partial<Record<AddressFilter, string>>
  words: ReadonlySet<string>
  point: Point | undefined
}

type Located = Pick<Organization, 'id'> & Partial<Pick<Organization, 'address' | 'latitude' | 'longitude'>>

/** Finds the locations of some organizations, by id. */
export async function organizationPlacesOf(db: Db, ids: number[]): Promise<Map<number, OrganizationPlace>> {
  if (ids.length === 0) return new Map()
  const query = db
    .selectFrom('organization')
    .select(['id', 'profile'])
    .where('id', 'in', [...new Set(ids)])
  const rows = await query.execute()
  return new Map(rows.map(({ id, profile }) => [id, computePlace({ ...JSON.parse(profile), id })]))
}

function computePlace({ id, address = {}, latitude, longitude }: Located): OrganizationPlace {
  const parts = ADDRESS_FILTERS.flatMap((filter) => {
    const value = address[filter]
    return value === undefined ? [] : [[filter, value] as const]
  })
  const hasPoint = latitude !== undefined && longitude !== undefined
  return {
    id,
    address: Object.fromEntries(parts),
    words: new Set(parts.flatMap(([, value]) => wordsOf(value))),
    point: hasPoint ? { latitude, longitude } : undefined,
  }
}

/** Adds coordinates found by postcode or city, unless the organization has coordinates. */
export async function withCoordinates(organization: NewOrganization): Promise<NewOrganization> {
  const { address, latitude, longitude } = organization
  const point = address && (await findCoordinates({ ...address, latitude, longitude }))
  return point ? { ...organization, ...point } : organization
}

/** Stands for a removed address. */
const NOWHERE = { city: null, region: null, postcode: null, country: null }

/** Adds the coordinates of the new address to a patch that changes the address. */
export async function patchWithCoordinates(
  db: Db,
  id: number,
  patch: OrganizationPatch,
): Promise<OrganizationPatch> {
  const { address, latitude, longitude } = patch
  if (address === undefined) return patch
  const before = await organizations.find(db, id)
  const previous = { ...before?.address, latitude: before?.latitude, longitude: before?.longitude }
  const point = await findPatchedCoordinates(previous, { ...(address ?? NOWHERE), latitude, longitude })
  if (point === undefined) return patch
  return { ...patch, ...(point ?? { latitude: null, longitude: null }) }
}
