import type { Context } from '../../context.ts'
import { readAll, type Stored } from '../../organizations/all.ts'
import { pointOf } from '../../organizations/locate.ts'
import { metersBetween } from '../../places/distance.ts'
import { fold } from '../../search/words.ts'
import type { Given } from './given.ts'
import { nearOf, pageOf } from './values.ts'

// Organizations as old clients page through them: there are as many as a country has shelters, so that all
// of them are looked at.

const SORTS = ['name', 'state', 'country', 'distance', 'recent'] as const
const COUNTRIES = ['US', 'CA']

type Measured = Stored & { distanceMeters?: number }

export interface Page {
  found: Measured[]
  page: number
  limit: number
  total: number
}

/** @returns what reads a page. It throws {ApiError} invalid_parameter */
export function organizationLists({ db, version }: Pick<Context, 'db' | 'version'>) {
  const all = readAll(db, () => version('pages'))
  return async (given: Given): Promise<Page> => {
    const { page, limit } = pageOf(given)
    const near = nearOf(given)
    const fits = filterOf(given)
    const compare = orderOf(given, near !== undefined)
    given.require()
    const point = near && (await pointOf(near.location))
    const found: Measured[] = []
    for (const one of await all()) {
      if (!fits(one)) continue
      if (!point) {
        found.push(one)
        continue
      }
      const { latitude, longitude } = one
      if (latitude === undefined || longitude === undefined) continue
      const distanceMeters = metersBetween(point, { latitude, longitude })
      if (distanceMeters <= (near?.within ?? 0) * 1_000) found.push({ ...one, distanceMeters })
    }
    found.sort(compare)
    const from = (page - 1) * limit
    return { found: found.slice(from, from + limit), page, limit, total: found.length }
  }
}

function filterOf(given: Given): (one: Stored) => boolean {
  const [name, query] = [given.one('name'), given.one('query')].map((text) => fold(text ?? '').split(/\s+/))
  const state = fold(given.one('state') ?? '')
  const country = given.one('country')?.toUpperCase()
  if (country !== undefined && !COUNTRIES.includes(country))
    given.refuse('country', `This value should be one of: ${COUNTRIES.join(', ')}.`)
  const has = (text: string, words: string[] = []): boolean => words.every((word) => text.includes(word))
  return (one) => {
    const { city = '', region = '', country: own = '' } = one.address ?? {}
    const folded = fold(one.name)
    return (
      has(folded, name) &&
      has(`${folded} ${fold(city)} ${fold(region)}`, query) &&
      (state === '' || fold(region) === state) &&
      (country === undefined || own === country)
    )
  }
}

/** Of two that are alike, the one that was added first. */
function orderOf(given: Given, isNear: boolean): (one: Measured, other: Measured) => number {
  const text = given.one('sort')?.toLowerCase() ?? (isNear ? 'distance' : 'name')
  const sign = text.startsWith('-') ? -1 : 1
  const sort = SORTS.find((one) => one === text.replace(/^-/, ''))
  if (!sort)
    given.refuse('sort', `This value should be one of: ${SORTS.join(', ')}, each with - before it or not.`)
  if (sort === 'distance' && !isNear) given.refuse('sort', 'Sorting by distance needs a location.')
  const keyOf = (one: Measured): string | number => {
    if (sort === 'distance') return one.distanceMeters ?? 0
    // The newest first.
    if (sort === 'recent') return -one.id
    return fold(
      (sort === 'state' ? one.address?.region : sort === 'country' ? one.address?.country : one.name) ?? '',
    )
  }
  return (one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    return a === b ? one.id - other.id : (a < b ? -1 : 1) * sign
  }
}
