import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import * as organizations from '../../organizations/store.ts'
import type { Asked } from '../../pets/find.ts'
import { pickedOf } from '../../pets/picked.ts'
import { COLOR_NAMES, oursOf } from './colors.ts'
import type { Given } from './given.ts'
import { OWN_CODE } from './organization.ts'
import { type Categories, TYPE_NAMES, typeNamed } from './types.ts'
import { moment, nearOf, oneOf, pageOf, some, UNKNOWN_PLACE, yes, yesOrNo } from './values.ts'

// From the query of an old client to a search of ours.

const STATUSES = new Map<string, 'available' | 'sold'>([
  ['adoptable', 'available'],
  ['adopted', 'sold'],
])
/** There is no animal of ours with this one. */
const FOUND = 'found'

const SORTS = ['recent', '-recent', 'distance', '-distance', 'random'] as const
export type Sort = (typeof SORTS)[number]

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
    color: given.list('color', COLOR_NAMES)?.flatMap(oursOf),
    size: some(given, 'size'),
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

function statusesOf(given: Given): ('available' | 'sold')[] {
  const asked = given.list('status') ?? ['adoptable']
  return asked.flatMap((text) => {
    const status = STATUSES.get(text.toLowerCase())
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
