import type { FastifyReply, FastifyRequest } from 'fastify'
import { fold } from '../../../categories/store.ts'
import { ApiError } from '../../../errors.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { ONE_LINE } from '../../../http/text.ts'
import { type Static, Type } from '../../../http/type.ts'
import { AGES } from '../../../pets/fields.ts'
import { LISTED_STATUSES } from '../../../pets/rules.ts'
import { FILTERS } from '../../../pets/schema.ts'
import type { SearchQuery } from '../../../pets/search/find.ts'
import { BREED_FIELD } from '../breeds.ts'
import { categoryLabel } from '../formats.ts'
import { type Problem, problemSummary, selectField, textField } from '../forms.ts'
import { type Gallery, kindNamed } from './animals.ts'
import { distanceWords, NO_BREAK_SPACE, type Phrasing } from './phrases.ts'

// Reads the filters in the URL of a list, and renders the search form.

export const PER_PAGE = 24

const SORTS = ['newest', 'waiting', 'nearest'] as const

/** The choices of distance in kilometers, and the choice that the form suggests. */
const DISTANCES = { choices: [10, 25, 50, 100, 200, 500], suggested: 100 }
/** The choices in kilometers where people use miles: 5, 15, 25, 50, 100, 200 and 300 miles. */
const DISTANCES_IN_US = { choices: [8, 24, 40, 80, 161, 322, 483], suggested: 161 }

const { q, breed, age, size, sex, goodWithChildren, goodWithDogs, goodWithCats, near } = FILTERS

export const ListQuerySchema = Type.Object({
  /** The name of a category. */
  kind: Type.Optional(Type.String({ maxLength: 100, pattern: ONE_LINE })),
  q,
  breed,
  age,
  size,
  sex,
  goodWithChildren,
  goodWithDogs,
  goodWithCats,
  near,
  within: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
  sort: Type.Optional(Type.Enum([...SORTS], { type: 'string' })),
  cursor: Type.Optional(Type.String()),
})
export type ListQuery = Static<typeof ListQuerySchema>

/**
 * Hook that removes empty parameters, because a browser sends all fields of a form. It keeps parameters with
 * brackets, so validation refuses them.
 */
export function dropEmpty(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const filled = Object.entries(request.query as Record<string, string | string[]>).flatMap(
    ([name, value]) => {
      const values = [value].flat().filter((one) => one.trim() !== '')
      const [first = name.includes('[') ? '' : undefined, ...more] = values
      if (first === undefined) return []
      return [[name, more.length > 0 ? values : first] as const]
    },
  )
  request.query = Object.fromEntries(filled)
  done()
}

/** The default order is nearest first if the query has a place, and newest first otherwise. */
const sortOf = ({ sort, near }: ListQuery): (typeof SORTS)[number] =>
  sort ?? (near === undefined ? 'newest' : 'nearest')

/** Newer animals have higher ids, and sorting by id is fast for any number of animals. */
const ORDERS = { newest: '-id', waiting: 'id', nearest: 'distance' } as const

/** @throws {ApiError} invalid_parameter for an unknown type of animal */
export async function petQueryOf(gallery: Gallery, query: ListQuery): Promise<SearchQuery> {
  const { kind, cursor, sort, breed, ...filters } = query
  return {
    ...filters,
    // Without a place, links to other pages omit the distance, and a cursor is only valid for the same query.
    within: query.near === undefined ? DISTANCES.suggested : query.within,
    status: [...LISTED_STATUSES],
    ...(kind !== undefined && { categoryId: [await idOfKind(gallery, kind)] }),
    ...(breed && { breedPrefix: breed }),
    limit: PER_PAGE,
    sort: ORDERS[sortOf(query)],
  }
}

/** Finds a category by name, ignoring case. @throws {ApiError} invalid_parameter if there is none */
export async function idOfKind(gallery: Pick<Gallery, 'kinds'>, kind: string): Promise<number> {
  const found = await kindNamed(gallery, kind)
  if (found) return found.id
  throw new ApiError('invalid_parameter', {
    details: [{ parameter: 'kind', code: 'invalid_value', message: 'There is no category with this name.' }],
  })
}

/** The URL parameters of a list, without the cursor. Without a place, the distance is omitted too. */
export function parametersOf(query: ListQuery): [name: string, value: string][] {
  const { cursor, within, ...filters } = query
  const parameters = query.near === undefined ? filters : { ...filters, within }
  return Object.entries(parameters).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  )
}

export function listPath(parameters: [name: string, value: string][], cursor?: string): string {
  const query = new URLSearchParams(parameters)
  if (cursor !== undefined) query.set('cursor', cursor)
  const text = query.toString()
  return text === '' ? '/animals' : `/animals?${text}`
}

const SIZES = ['small', 'medium', 'large', 'extra_large']
const GOOD_WITH = ['goodWithChildren', 'goodWithDogs', 'goodWithCats'] as const

interface FormParts {
  /** The query from the URL, which may be invalid. */
  query: Partial<ListQuery>
  problems: Problem[]
  /** Names of categories. */
  kinds: string[]
  /** The country whose units come first. */
  country: string | undefined
}

/** The search form. */
export function filterForm(phrasing: Phrasing, { query, problems, kinds, country }: FormParts): Html {
  const { gallery } = phrasing.texts
  const isActive = ([name]: [string, string]): boolean => ![...MAIN_FIELDS, 'sort'].includes(name)
  const activeCount = parametersOf(query as ListQuery).filter(isActive).length
  const text = (name: 'q' | 'near', label: string, placeholder: string): Html =>
    textField({ name, label, placeholder, problems, maxLength: 100, value: one(query[name]) })
  const kind = one(query.kind)
  const { choices, suggested } = country === 'US' ? DISTANCES_IN_US : DISTANCES
  // Without a place, the distance in the URL is only the default value of the parameter.
  const within = query.near === undefined ? suggested : Number(one(query.within))
  return html`${problemSummary(gallery.problems, problems)}
<form class="finder" action="/animals" role="search">
<div class="finder-main">
${text('q', gallery.words, gallery.wordsExample)}
${selectField({
  name: 'kind',
  label: gallery.kind,
  problems,
  value: kind && fold(kind),
  choices: [
    ['', gallery.anyKind],
    ...kinds.map((name) => [fold(name), categoryLabel(phrasing.texts, name)] as const),
  ],
})}
${text('near', gallery.near, gallery.nearExample)}
${selectField({
  name: 'within',
  label: gallery.within,
  problems,
  value: String(within),
  choices: withOther(choices, within).map(
    (km) => [String(km), distanceWords(phrasing.language, km * 1_000, country)] as const,
  ),
})}
<button>${gallery.search}</button>
</div>
<details${problems.length > 0 && html` open`}><summary>${gallery.more}${
    activeCount > 0 && html` <span class="tag">${gallery.inUse(activeCount)}</span>`
  }</summary>
<div class="finder-more">
${moreFields(phrasing, query, problems)}
</div>
<button>${gallery.search}</button>
</details>
</form>`
}

/** Fields that are visible before a visitor opens the other filters. On a phone, only the first is. */
const MAIN_FIELDS = ['q', 'kind', 'near', 'within']

function moreFields({ texts }: Phrasing, query: Partial<ListQuery>, problems: Problem[]): Part[] {
  const { gallery, common } = texts
  const words = (of: Record<string, string>, values: readonly string[]) =>
    values.map((value) => [value, of[value] ?? value] as const)
  return [
    textField({
      name: 'breed',
      label: gallery.breed,
      problems,
      maxLength: 80,
      value: one(query.breed),
      ...BREED_FIELD,
    }),
    selectField({
      name: 'sex',
      label: gallery.sex,
      problems,
      value: one(query.sex),
      choices: [['', gallery.either], ...words(common.sex, ['female', 'male'])],
    }),
    sortField(gallery, query, problems),
    checkGroup(gallery.age, checks('age', words(common.age, AGES), query.age)),
    checkGroup(gallery.size, checks('size', words(common.size, SIZES), query.size)),
    checkGroup(
      gallery.goodWith,
      GOOD_WITH.map((name) => check(name, 'true', gallery[name], one(query[name]) === 'true')),
    ),
  ]
}

/** Keeps the order in the next search. A visible field only explains an invalid order. */
function sortField(
  gallery: Phrasing['texts']['gallery'],
  { sort, near }: Partial<ListQuery>,
  problems: Problem[],
): Part {
  const value = one(sort)
  if (problems.some(({ field }) => field === 'sort')) {
    const choices = Object.entries(gallery.sorts)
    return selectField({ name: 'sort', label: gallery.sort, problems, value, choices })
  }
  // Nearest first is the default with a place, and invalid without a place.
  const isDefault = value === undefined || value === (near === undefined ? 'newest' : 'nearest')
  return !isDefault && value !== 'nearest' && html`<input type="hidden" name="sort" value="${value}">`
}

/** Links to the same list in each order. */
export function sortLinks({ texts: { gallery } }: Phrasing, query: ListQuery): Html {
  const { near } = query
  const others = parametersOf(query).filter(([name]) => name !== 'sort')
  const current = sortOf(query)
  const links = SORTS.filter((name) => near !== undefined || name !== 'nearest').map((name) => {
    const isDefault = name === (near === undefined ? 'newest' : 'nearest')
    const path = listPath(isDefault ? others : [...others, ['sort', name]])
    return html`<li><a href="${path}"${name === current && html` aria-current="true"`}>${gallery.sorts[name]}</a></li>`
  })
  return html`<nav aria-label="${gallery.sort}"><ul class="inline">${links}</ul></nav>`
}

/** A group of checkboxes. */
function checkGroup(legend: string, choices: Html[]): Html {
  return html`<fieldset class="checks"><legend>${legend}</legend>${choices}</fieldset>`
}

function checks(name: string, choices: (readonly [string, string])[], chosen: unknown): Html[] {
  const values = [chosen].flat()
  return choices.map(([value, words], index) =>
    check(name, value, words, values.includes(value), index === 0 ? name : undefined),
  )
}

function check(name: string, value: string, words: string, isChosen: boolean, id: string | undefined = name) {
  return html`<label class="choice"><input${id !== undefined && html` id="field-${id}"`} type="checkbox" name="${name}" value="${value}"${
    isChosen && html` checked`
  }>${words}</label>`
}

/** The choices of distance, with the distance in the URL. */
function withOther(choices: number[], distance: number): number[] {
  const isOther = Number.isInteger(distance) && distance > 0 && distance <= 500 && !choices.includes(distance)
  return isOther ? [...choices, distance].sort((one, other) => one - other) : choices
}

/** The first value of a parameter as text. */
function one(value: unknown): string | undefined {
  const [first] = [value].flat()
  return first === undefined ? undefined : String(first)
}

/** The active filters. Each filter links to the list without that filter. */
export function filterChips(phrasing: Phrasing, parts: FormParts & { query: ListQuery }): Html | undefined {
  const { gallery } = phrasing.texts
  const { query } = parts
  // The place and the distance share one chip.
  const parameters = parametersOf(query)
  const filters = parameters.filter(([name]) => name !== 'within' && name !== 'sort')
  if (filters.length === 0) return undefined
  const chips = filters.map((chip) => {
    const words = wordsOf(phrasing, parts, chip)
    const others = parameters.filter(
      (one) => one !== chip && !(chip[0] === 'near' && NEEDS_PLACE.includes(one[0])),
    )
    return html`<li><a class="chip" href="${listPath(others)}"><span class="visually-hidden">${gallery.without(
      words,
    )}</span><span aria-hidden="true">${words}${NO_BREAK_SPACE}✕</span></a></li>`
  })
  return html`<ul class="chips" aria-label="${gallery.filters}">${chips}<li><a href="/animals">${gallery.removeAll}</a></li></ul>`
}

/** Parameters that need a place. */
const NEEDS_PLACE = ['within', 'sort']

function wordsOf(
  { texts, language }: Phrasing,
  { query, kinds, country }: FormParts & { query: ListQuery },
  [name, value]: [string, string],
): string {
  const { common, gallery } = texts
  switch (name) {
    case 'kind':
      return categoryLabel(texts, kinds.find((kind) => fold(kind) === fold(value)) ?? value)
    case 'age':
      return common.age[value] ?? value
    case 'size':
      return common.size[value] ?? value
    case 'sex':
      return common.sex[value] ?? value
    case 'near':
      return gallery.nearFilter(value, distanceWords(language, query.within * 1_000, country))
    case 'goodWithChildren':
    case 'goodWithDogs':
    case 'goodWithCats': {
      const who = name.slice('goodWith'.length).toLowerCase()
      return (value === 'true' ? gallery.goodWithFilter[who] : gallery.notGoodWithFilter[who]) ?? value
    }
    default:
      return value
  }
}
