import type { Context } from '../../context.ts'
import type { StoredOrganization } from '../../organizations/store.ts'
import { finderOf } from '../../pets/search/filters.ts'
import { metersBetween, type Point } from '../../places/distance.ts'
import { getPoint, type Region, reachOf } from '../../places/gazetteer.ts'
import { fold } from '../../search/words.ts'
import { nearOf, pageOf, type QueryParameters, toLocationError } from './parameters.ts'

// Reads pages of organizations by number. Each page filters and sorts all of them, some thousands at most.

const SORTS = ['name', 'state', 'country', 'distance', 'recent'] as const
const COUNTRIES = ['US', 'CA']

export interface FoundOrganization {
  stored: StoredOrganization
  /** The distance from the location in the query. */
  distanceMeters?: number | undefined
}

interface OrganizationPage {
  found: FoundOrganization[]
  page: number
  limit: number
  total: number
}

/** @returns a function that reads a page of organizations; it throws {ApiError} invalid_parameter */
export function organizationPages(context: Pick<Context, 'db' | 'version'>) {
  const { organizations: all } = finderOf(context)
  return async (parameters: QueryParameters): Promise<OrganizationPage> => {
    const { page, limit } = pageOf(parameters)
    const near = nearOf(parameters)
    const fits = filterOf(parameters)
    const compare = orderOf(parameters, near !== undefined)
    parameters.requireValid()
    const point = near && (await pointAt(near.location))
    const found = (await all()).filter(fits).flatMap((stored): FoundOrganization[] => {
      if (!point) return [{ stored }]
      const distanceMeters = metersTo(point, stored)
      return distanceMeters <= reachOf(point, near.within * 1_000) ? [{ stored, distanceMeters }] : []
    })
    found.sort(compare)
    const from = (page - 1) * limit
    return { found: found.slice(from, from + limit), page, limit, total: found.length }
  }
}

async function pointAt(location: string): Promise<Region> {
  try {
    return await getPoint(location)
  } catch (error) {
    throw toLocationError(error)
  }
}

function metersTo(point: Point, { latitude, longitude }: StoredOrganization): number {
  if (latitude === undefined || longitude === undefined) return Number.POSITIVE_INFINITY
  return metersBetween(point, { latitude, longitude })
}

/** Texts for sorting and filtering, with case and accents removed. */
interface SortKeys {
  name: string
  city: string
  state: string
  country: string
}

/** Caches the sort keys, because every page reads the keys of all organizations. */
const cachedKeys = new WeakMap<StoredOrganization, SortKeys>()

function foldedOf(stored: StoredOrganization): SortKeys {
  const cached = cachedKeys.get(stored)
  if (cached) return cached
  const { city = '', region = '', country = '' } = stored.address ?? {}
  const keys = { name: fold(stored.name), city: fold(city), state: fold(region), country: fold(country) }
  cachedKeys.set(stored, keys)
  return keys
}

function filterOf(parameters: QueryParameters): (stored: StoredOrganization) => boolean {
  const [name, query] = (['name', 'query'] as const).map((one) =>
    fold(parameters.one(one) ?? '').split(/\s+/),
  )
  const state = fold(parameters.one('state') ?? '')
  const country = parameters.one('country')?.toUpperCase()
  if (country !== undefined && !COUNTRIES.includes(country))
    parameters.refuse('country', `This value should be one of: ${COUNTRIES.join(', ')}.`)
  const has = (text: string, words: string[] = []): boolean => words.every((word) => text.includes(word))
  return (stored) => {
    const own = foldedOf(stored)
    return (
      has(own.name, name) &&
      has(`${own.name} ${own.city} ${own.state}`, query) &&
      (state === '' || own.state === state) &&
      (country === undefined || own.country === fold(country))
    )
  }
}

type Compare = (one: FoundOrganization, other: FoundOrganization) => number

/** The order of the organizations. Those that compare as equal stay in the order in which they were added. */
function orderOf(parameters: QueryParameters, isNear: boolean): Compare {
  const text = parameters.one('sort')?.toLowerCase() ?? (isNear ? 'distance' : 'name')
  const sign = text.startsWith('-') ? -1 : 1
  const sort = SORTS.find((one) => one === text.replace(/^-/, ''))
  if (!sort)
    parameters.refuse(
      'sort',
      `This value should be one of: ${SORTS.join(', ')}, optionally with a leading -.`,
    )
  if (sort === 'distance' && !isNear) parameters.refuse('sort', 'Sorting by distance needs a location.')
  const keyOf = ({ stored, distanceMeters }: FoundOrganization): string | number => {
    if (sort === 'distance') return distanceMeters ?? 0
    // A higher id is newer.
    if (sort === 'recent') return -stored.id
    return foldedOf(stored)[sort ?? 'name']
  }
  return (one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    return a === b ? one.stored.id - other.stored.id : (a < b ? -1 : 1) * sign
  }
}
