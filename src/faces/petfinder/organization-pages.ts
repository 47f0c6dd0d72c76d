import type { Context } from '../../context.ts'
import { readAll } from '../../organizations/all.ts'
import { pointOf } from '../../organizations/locate.ts'
import type { Stored } from '../../organizations/store.ts'
import { metersBetween, type Point } from '../../places/distance.ts'
import { fold } from '../../search/words.ts'
import { nearOf, pageOf, type QueryParameters, toLocationError } from './parameters.ts'

// Pages of organizations by their number: there are as many as a country has shelters, so that all of them
// are looked at.

const SORTS = ['name', 'state', 'country', 'distance', 'recent'] as const
const COUNTRIES = ['US', 'CA']

export interface FoundOrganization {
  stored: Stored
  /** From the location that is asked for. */
  distanceMeters?: number | undefined
}

interface OrganizationPage {
  found: FoundOrganization[]
  page: number
  limit: number
  total: number
}

/** @returns what reads a page. It throws {ApiError} invalid_parameter */
export function organizationPages({ db, version }: Pick<Context, 'db' | 'version'>) {
  const all = readAll(db, () => version('pages'))
  return async (parameters: QueryParameters): Promise<OrganizationPage> => {
    const { page, limit } = pageOf(parameters)
    const near = nearOf(parameters)
    const fits = filterOf(parameters)
    const compare = orderOf(parameters, near !== undefined)
    parameters.requireUsable()
    const point = near && (await pointAt(near.location))
    const found = (await all()).filter(fits).flatMap((stored): FoundOrganization[] => {
      if (!point) return [{ stored }]
      const distanceMeters = metersTo(point, stored)
      return distanceMeters <= near.within * 1_000 ? [{ stored, distanceMeters }] : []
    })
    found.sort(compare)
    const from = (page - 1) * limit
    return { found: found.slice(from, from + limit), page, limit, total: found.length }
  }
}

async function pointAt(location: string): Promise<Point> {
  try {
    return await pointOf(location)
  } catch (error) {
    throw toLocationError(error)
  }
}

function metersTo(point: Point, { latitude, longitude }: Stored): number {
  if (latitude === undefined || longitude === undefined) return Number.POSITIVE_INFINITY
  return metersBetween(point, { latitude, longitude })
}

/** As they are compared. */
interface Folded {
  name: string
  city: string
  state: string
  country: string
}

/** Each is made once for an organization as it is: every page looks at all of them. */
const known = new WeakMap<Stored, Folded>()

function foldedOf(stored: Stored): Folded {
  const before = known.get(stored)
  if (before) return before
  const { city = '', region = '', country = '' } = stored.address ?? {}
  const made = { name: fold(stored.name), city: fold(city), state: fold(region), country: fold(country) }
  known.set(stored, made)
  return made
}

function filterOf(parameters: QueryParameters): (stored: Stored) => boolean {
  const [name, query] = ['name', 'query'].map((one) => fold(parameters.one(one) ?? '').split(/\s+/))
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

/** Of two that are alike, the one that was added first. */
function orderOf(parameters: QueryParameters, isNear: boolean): Compare {
  const text = parameters.one('sort')?.toLowerCase() ?? (isNear ? 'distance' : 'name')
  const sign = text.startsWith('-') ? -1 : 1
  const sort = SORTS.find((one) => one === text.replace(/^-/, ''))
  if (!sort)
    parameters.refuse(
      'sort',
      `This value should be one of: ${SORTS.join(', ')}, each with - before it or not.`,
    )
  if (sort === 'distance' && !isNear) parameters.refuse('sort', 'Sorting by distance needs a location.')
  const keyOf = ({ stored, distanceMeters }: FoundOrganization): string | number => {
    if (sort === 'distance') return distanceMeters ?? 0
    // The newest first.
    if (sort === 'recent') return -stored.id
    return foldedOf(stored)[sort ?? 'name']
  }
  return (one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    return a === b ? one.stored.id - other.stored.id : (a < b ? -1 : 1) * sign
  }
}
