import type { Context } from '../../context.ts'
import * as organizations from '../../organizations/store.ts'
import type { SearchQuery } from '../../pets/search/find.ts'
import {
  booleanOf,
  choiceOf,
  choicesOf,
  dateTimeOf,
  flagOf,
  nearOf,
  pageOf,
  type QueryParameters,
} from './parameters.ts'
import { OWN_CODE, STATUSES } from './shapes.ts'
import {
  breedNamesOf,
  type Categories,
  COLORS_WITH_COMMAS,
  ourBreeds,
  ourColors,
  TYPE_NAMES,
  typeNamed,
} from './words.ts'

// Converts the query of a Petfinder client to a search.

type Status = keyof typeof STATUSES
const OUR_STATUSES = new Map<string, Status>(
  Object.entries(STATUSES).map(([ours, theirs]) => [theirs, ours as Status]),
)
/** Petfinder has this status, but no animal of this service has it. */
const STATUS_FOUND = 'found'

/** The orders of clients, with the order in which the list is read. */
const SORTS = {
  recent: '-publishedAt',
  '-recent': 'publishedAt',
  distance: 'distance',
  '-distance': '-distance',
  random: '-publishedAt',
} as const
type Sort = keyof typeof SORTS

export interface AnimalList {
  /** Undefined if no animal can match. */
  query: SearchQuery | undefined
  sort: Sort
  page: number
  limit: number
}

/** @throws {ApiError} invalid_parameter with a detail for each invalid value */
export async function toAnimalList(
  parameters: QueryParameters,
  { db }: Pick<Context, 'db'>,
  categories: Categories,
): Promise<AnimalList> {
  const { page, limit } = pageOf(parameters)
  const near = nearOf(parameters)
  const sort = choiceOf(parameters, 'sort', Object.keys(SORTS) as Sort[]) ?? 'recent'
  if (sort.endsWith('distance') && near === undefined)
    parameters.refuse('sort', 'Sorting by distance needs a location.')
  const status = statusesOf(parameters)
  const categoryId = categoriesOf(parameters, categories)
  const owners = await ownersOf(parameters, db)
  const breeds = parameters.list('breed')
  const query = withoutAbsent({
    ...{ limit, within: near?.within ?? 1, status, categoryId },
    ...{ organizationId: owners?.ids, ...(owners?.own && { hasNoOrganization: true as const }) },
    ...{ near: near?.location, sort: SORTS[sort] },
    breed: breeds && (await breedNamesOf(categories, breeds)).flatMap(ourBreeds),
    color: parameters.list('color', COLORS_WITH_COMMAS)?.flatMap(ourColors),
    size: choicesOf(parameters, 'size'),
    sex: choicesOf(parameters, 'gender'),
    age: choicesOf(parameters, 'age'),
    coat: choicesOf(parameters, 'coat'),
    name: parameters.one('name'),
    goodWithChildren: booleanOf(parameters, 'good_with_children'),
    goodWithDogs: booleanOf(parameters, 'good_with_dogs'),
    goodWithCats: booleanOf(parameters, 'good_with_cats'),
    houseTrained: flagOf(parameters, 'house_trained'),
    declawed: flagOf(parameters, 'declawed'),
    specialNeeds: flagOf(parameters, 'special_needs'),
    publishedAfter: dateTimeOf(parameters, 'after'),
    publishedBefore: dateTimeOf(parameters, 'before'),
  })
  parameters.requireValid()
  const isEmpty =
    [status, categoryId].some((values) => values?.length === 0) || (owners?.ids?.length === 0 && !owners.own)
  return { query: isEmpty ? undefined : query, sort, page, limit }
}

function withoutAbsent(query: { [Name in keyof SearchQuery]: SearchQuery[Name] | undefined }): SearchQuery {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as never
}

function statusesOf(parameters: QueryParameters): Status[] {
  const names = parameters.list('status') ?? [STATUSES.available]
  return names.flatMap((text) => {
    const status = OUR_STATUSES.get(text.toLowerCase())
    if (!status && text.toLowerCase() !== STATUS_FOUND)
      parameters.refuse('status', `"${text}" is not a valid status.`)
    return status ? [status] : []
  })
}

/** @returns ids of categories; undefined for all */
function categoriesOf(parameters: QueryParameters, { typeOf, all }: Categories): number[] | undefined {
  const named = parameters.list('type', TYPE_NAMES)
  if (named === undefined) return all ? undefined : [...typeOf.keys()]
  const types = named.map((name) => {
    const type = typeNamed(name)
    if (!type) parameters.refuse('type', `${name} is not a valid animal type.`)
    return type
  })
  return [...typeOf].flatMap(([id, type]) => (types.includes(type) ? [id] : []))
}

async function ownersOf(
  parameters: QueryParameters,
  db: Context['db'],
): Promise<{ ids: number[] | undefined; own: boolean } | undefined> {
  const codes = parameters.list('organization')
  if (!codes) return undefined
  const others = codes.filter((code) => code.toUpperCase() !== OWN_CODE)
  const found = await organizations.findIdsByCodes(db, others)
  if (others.length < codes.length && found.length > 0)
    parameters.refuse('organization', `${OWN_CODE} cannot be combined with other organizations.`)
  return others.length < codes.length ? { ids: undefined, own: true } : { ids: found, own: false }
}
