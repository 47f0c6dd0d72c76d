import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import * as organizations from '../../organizations/store.ts'
import type { Asked } from '../../pets/find.ts'
import { pickedOf } from '../../pets/picked.ts'
import type { Given } from './given.ts'
import { metersOf, OWN_CODE } from './organization.ts'
import { type Categories, TYPE_NAMES, typeNamed } from './types.ts'

// From the query of an old client to a search of ours.

const STATUSES: Record<string, 'available' | 'sold' | undefined> = { adoptable: 'available', adopted: 'sold' }
/** There is no animal of ours with this one. */
const FOUND = 'found'

const SIZES: Record<string, 'extra_large' | undefined> = {
  xlarge: 'extra_large',
  'extra-large': 'extra_large',
  'extra large': 'extra_large',
}
const VALUES = {
  size: ['small', 'medium', 'large', 'extra_large'],
  gender: ['male', 'female', 'unknown'],
  age: ['baby', 'young', 'adult', 'senior'],
  coat: ['short', 'medium', 'long', 'wire', 'hairless', 'curly'],
} as const

const UNKNOWN_PLACE = 'Could not determine location.'

const SORTS = ['recent', '-recent', 'distance', '-distance', 'random'] as const
export type Sort = (typeof SORTS)[number]

/** Of one page; the contract of these clients has no more. */
const [MOST_LIMIT, MOST_MILES, MOST_PAGE] = [100, 500, 1_000_000]

export interface List {
  /** Undefined where nothing can fit. */
  query: Asked | undefined
  sort: Sort
  page: number
  limit: number
}

/** @throws {ApiError} invalid_parameter naming each value that cannot be used */
export async function askedFor(
  given: Given,
  { db }: Pick<Context, 'db'>,
  categories: Categories,
  colors: ReadonlySet<string>,
): Promise<List> {
  const { page, limit } = pageOf(given)
  const near = nearOf(given)
  const sort = oneOf(given, 'sort', SORTS) ?? 'recent'
  if (sort.endsWith('distance') && near === undefined)
    given.refuse('sort', 'Sorting by distance needs a location.')
  const status = statusesOf(given)
  const categoryId = categoriesOf(given, categories)
  const owners = await ownersOf(given, db)
  const query = withoutAbsent({
    ...{ limit, within: near?.within ?? 1, status, categoryId },
    ...{ organizationId: owners?.ids, ...(owners?.own && { ofNobody: true as const }) },
    ...{ near: near?.location, sort: sort.endsWith('distance') ? 'distance' : '-publishedAt' },
    ...(sort === '-recent' && { sort: 'publishedAt' }),
    breed: given.list('breed'),
    color: given.list('color', colors),
    size: some(given, 'size', (text) => SIZES[text] ?? text),
    sex: some(given, 'gender'),
    age: some(given, 'age'),
    coat: some(given, 'coat'),
    name: given.one('name'),
    goodWithChildren: yesOrNo(given, 'good_with_children'),
    goodWithDogs: yesOrNo(given, 'good_with_dogs'),
    goodWithCats: yesOrNo(given, 'good_with_cats'),
    houseTrained: yes(given, 'house_trained'),
    declawed: yes(given, 'declawed'),
    specialNeeds: yes(given, 'special_needs'),
    publishedAfter: moment(given, 'after'),
    publishedBefore: moment(given, 'before'),
  })
  given.require()
  const isNothing =
    [status, categoryId].some((values) => values?.length === 0) || (owners?.ids?.length === 0 && !owners.own)
  return { query: isNothing ? undefined : query, sort, page, limit }
}

function withoutAbsent(query: { [Name in keyof Asked]: Asked[Name] | undefined }): Asked {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as never
}

export function pageOf(given: Given): { page: number; limit: number } {
  return { page: given.whole('page', 1, MOST_PAGE) ?? 1, limit: given.whole('limit', 1, MOST_LIMIT) ?? 20 }
}

/** A latitude and a longitude, a postcode, or a city with its state: a city alone was never enough. */
const PLACES = [
  /^-?\d{1,2}(?:\.\d+)?, *-?\d{1,3}(?:\.\d+)?$/,
  /^(?=.*\d)[a-z\d][a-z\d -]{2,9}$/i,
  /^[\p{L}\p{M} .'’-]+(?:,[\p{L}\p{M} .'’-]+){1,2}$/u,
]

/** @returns the place as it was written, and kilometres */
export function nearOf(given: Given): { location: string; within: number } | undefined {
  const location = given.one('location')
  const distance = given.whole('distance', 1, MOST_MILES)
  if (location === undefined) return undefined
  if (!PLACES.some((form) => form.test(location))) given.refuse('location', UNKNOWN_PLACE)
  return { location, within: metersOf(distance ?? MOST_LIMIT) / 1_000 }
}

function oneOf<const Value extends string>(
  given: Given,
  name: string,
  known: readonly Value[],
): Value | undefined {
  const text = given.one(name)?.toLowerCase()
  const value = known.find((one) => one === text)
  if (text !== undefined && value === undefined)
    given.refuse(name, `This value should be one of: ${known.join(', ')}.`)
  return value
}

function some<const Name extends keyof typeof VALUES>(
  given: Given,
  name: Name,
  read: (text: string) => string = (text) => text,
): (typeof VALUES)[Name][number][] | undefined {
  const known = VALUES[name] as readonly string[]
  return given.list(name)?.flatMap((text) => {
    const value = read(text.toLowerCase())
    if (known.includes(value)) return [value as (typeof VALUES)[Name][number]]
    given.refuse(name, `"${text}" is not a valid ${name}.`)
    return []
  })
}

function statusesOf(given: Given): ('available' | 'sold')[] {
  const asked = given.list('status') ?? ['adoptable']
  return asked.flatMap((text) => {
    const status = STATUSES[text.toLowerCase()]
    if (!status && text.toLowerCase() !== FOUND) given.refuse('status', `"${text}" is not a valid status.`)
    return status ? [status] : []
  })
}

/** @returns undefined for all */
function categoriesOf(given: Given, { typeOf, all }: Categories): number[] | undefined {
  const named = given.list('type', TYPE_NAMES)
  if (named === undefined) return all ? undefined : [...typeOf.keys()]
  const wanted = named.map((name) => {
    const type = typeNamed(name)
    if (!type) given.refuse('type', `${name} is not a valid animal type.`)
    return type
  })
  return [...typeOf].flatMap(([id, type]) => (wanted.includes(type) ? [id] : []))
}

async function ownersOf(
  given: Given,
  db: Context['db'],
): Promise<{ ids: number[] | undefined; own: boolean } | undefined> {
  const codes = given.list('organization')
  if (!codes) return undefined
  const others = codes.filter((code) => code.toUpperCase() !== OWN_CODE)
  const ids = await Promise.all(others.map((code) => organizations.idOfCode(db, code)))
  const found = ids.flatMap((id) => id ?? [])
  if (others.length < codes.length && found.length > 0)
    given.refuse('organization', `${OWN_CODE} cannot be asked for together with others.`)
  return others.length < codes.length ? { ids: undefined, own: true } : { ids: found, own: false }
}

const YES = ['true', '1']
const NO = ['false', '0']

function yesOrNo(given: Given, name: string): 'true' | 'false' | undefined {
  const text = given.one(name)?.toLowerCase()
  if (text === undefined) return undefined
  if (YES.includes(text)) return 'true'
  if (!NO.includes(text)) given.refuse(name, 'This value should be true or false.')
  return 'false'
}

/** Can only be asked for: a no is what these clients never had, and means the same as nothing. */
function yes(given: Given, name: string): 'true' | undefined {
  return yesOrNo(given, name) === 'true' ? 'true' : undefined
}

/** ISO 8601 with an offset, with or without a colon, or a day alone. */
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

export function moment(given: Given, name: string): string | undefined {
  const text = given.one(name)
  if (text === undefined) return undefined
  // In a query a plus is a blank.
  const [, day, time = '00:00', offset = 'Z'] =
    MOMENT.exec(text.replace(/ (?=\d\d:?\d\d$)(?<=:\d\d )/, '+')) ?? []
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  const at = Date.parse(`${day}T${time}${sign ? `${sign}${hours}:${minutes}` : 'Z'}`)
  if (Number.isNaN(at)) given.refuse(name, 'This value is not a valid datetime.')
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

/** Names of ours in errors, and what these clients call them. */
const NAMES: Record<string, string> = {
  ...{ near: 'location', sex: 'gender', categoryId: 'type', organizationId: 'organization' },
  ...{ publishedAfter: 'after', publishedBefore: 'before', houseTrained: 'house_trained' },
  ...{
    goodWithChildren: 'good_with_children',
    goodWithDogs: 'good_with_dogs',
    goodWithCats: 'good_with_cats',
  },
  ...{ specialNeeds: 'special_needs', ofNobody: 'organization' },
}

/** An error of a search, in the words of these clients. */
export function renamed(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'invalid_parameter') return error
  const details = error.details?.map((detail) => ({
    ...detail,
    parameter: NAMES[detail.parameter ?? ''] ?? detail.parameter ?? '',
    message: detail.parameter === 'near' ? UNKNOWN_PLACE : detail.message,
  }))
  return new ApiError('invalid_parameter', { ...(details && { details }) })
}

/** All of an animal that everybody sees, with its times. */
export const PICKED = pickedOf('*,publishedAt,statusChangedAt,createdAt')
