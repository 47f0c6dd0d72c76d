import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { countryNamed } from '../http/iso-codes.ts'
import { coordinatesAfter, coordinatesOf } from '../places/derive.ts'
import type { Point } from '../places/distance.ts'
import { locate } from '../places/gazetteer.ts'
import { NEAR, type NewOrganization, type OrganizationPatch } from './schema.ts'
import * as organizations from './store.ts'

/** The organization with the coordinates of its postcode or city, where nobody gave better ones. */
export async function located(organization: NewOrganization): Promise<NewOrganization> {
  const { address, latitude, longitude } = organization
  const point = address && (await coordinatesOf({ ...address, latitude, longitude }))
  return point ? { ...organization, ...point } : organization
}

/** What an address that is taken away leaves. */
const NOWHERE = { city: null, region: null, postcode: null, country: null }

/** The patch with the coordinates that it brings along. */
export async function relocated(db: Db, id: number, patch: OrganizationPatch): Promise<OrganizationPatch> {
  const { address, latitude, longitude } = patch
  if (address === undefined) return patch
  const before = await organizations.find(db, id)
  const told = { ...before?.address, latitude: before?.latitude, longitude: before?.longitude }
  const point = await coordinatesAfter(told, { ...(address ?? NOWHERE), latitude, longitude })
  if (point === undefined) return patch
  return { ...patch, ...(point ?? { latitude: null, longitude: null }) }
}

const IS_POINT = new RegExp(NEAR)

/**
 * Where somebody looks for what is near.
 *
 * @param near a latitude and a longitude, a postcode, or a city; behind commas its region, country or both
 * @throws {ApiError} invalid_parameter
 */
export async function pointOf(near: string): Promise<Point> {
  const parts = near.split(',').map((part) => part.trim())
  if (IS_POINT.test(parts.join(','))) {
    const [latitude = 0, longitude = 0] = parts.map(Number)
    if (Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180) return { latitude, longitude }
    throw refused('out_of_range', 'A latitude is from -90 to 90 degrees, and a longitude from -180 to 180.')
  }
  const [first = '', ...rest] = parts
  const country = countryNamed(rest.at(-1) ?? '')
  const point =
    (await locate({ postcode: first, country })) ??
    // Two letters may be those of a state or of a country.
    (await locate({ city: first, region: rest[0], country: rest.length > 1 ? country : undefined })) ??
    (country && rest.length === 1 ? await locate({ city: first, country }) : undefined)
  if (point) return point
  throw refused(
    'invalid_value',
    'No place is known by this name. Send a latitude and a longitude (52.09,5.12), a postcode of the United States ' +
      'or Canada, or a city with its state or country (Denver, CO).',
  )
}

function refused(code: 'out_of_range' | 'invalid_value', message: string): ApiError {
  return new ApiError('invalid_parameter', { details: [{ parameter: 'near', code, message }] })
}
