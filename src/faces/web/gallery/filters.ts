import type { FastifyReply, FastifyRequest } from 'fastify'
import { fold } from '../../../categories/store.ts'
import { ApiError } from '../../../errors.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { ONE_LINE } from '../../../http/text.ts'
import { type Static, Type } from '../../../http/type.ts'
import { FILTERS } from '../../../pets/filter-schemas.ts'
import { AGES } from '../../../pets/profile-schemas.ts'
import type { PetQuery } from '../../../pets/schema.ts'
import { type Problem, problemSummary, selectField, textField } from '../forms.ts'
import { kindWords } from '../kind-words.ts'
import { type Gallery, LISTED } from './animals.ts'
import { distanceWords, type Phrasing } from './phrases.ts'

// What the address of a list asks for, and what that means for the search.

export const PER_PAGE = 24

const SORTS = ['newest', 'waiting', 'nearest'] as const

/** In kilometres. */
const DISTANCES = [10, 25, 50, 100, 200, 500]

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

/** Hook, before a query is read: a form sends all its fields, and an empty one asks for nothing. */
export function dropEmpty(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const given = Object.entries(request.query as Record<string, string | string[]>).flatMap(
    ([name, value]) => {
      const values = [value].flat().filter((one) => one.trim() !== '')
      const [first, ...more] = values
      if (first === undefined) return []
      return [[name, more.length > 0 ? values : first] as const]
    },
  )
  request.query = Object.fromEntries(given)
  done()
}

/** The order that nobody has to ask for: who looks near a place wants the nearest. */
const sortOf = ({ sort, near }: ListQuery): (typeof SORTS)[number] =>
  sort ?? (near === undefined ? 'newest' : 'nearest')

/** Those added last come first. Ids tell that, in an order that costs as much among ten million animals. */
const ORDERS = { newest: '-id', waiting: 'id', nearest: 'distance' } as const

/** @throws {ApiError} invalid_parameter for a kind that is not there */
export async function petQueryOf({ kinds }: Gallery, asked: ListQuery): Promise<PetQuery> {
  const { kind, cursor, sort, ...filters } = asked
  return {
    ...filters,
    status: [...LISTED],
    ...(kind !== undefined && { categoryId: [await idOfKind(kinds, kind)] }),
    limit: PER_PAGE,
    sort: ORDERS[sortOf(asked)],
  }
}

/** @throws {ApiError} invalid_parameter for one that is not there */
export async function idOfKind(kinds: Gallery['kinds'], kind: string): Promise<number> {
  const wanted = fold(kind)
  for (const { id, name } of (await kinds()).values()) if (fold(name) === wanted) return id
  throw new ApiError('invalid_parameter', {
    details: [{ parameter: 'kind', code: 'invalid_value', message: 'There is no category with this name.' }],
  })
}

/** In the order in which addresses have them, without what goes without saying. */
export function parametersOf(asked: ListQuery): [name: string, value: string][] {
  const { cursor, within, ...filters } = asked
  const shown = asked.near === undefined ? filters : { ...filters, within }
  return Object.entries(shown).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, String(one)]),
  )
}

/** The address of a list. */
export function listPath(parameters: [name: string, value: string][], cursor?: string): string {
  const query = new URLSearchParams(parameters)
  if (cursor !== undefined) query.set('cursor', cursor)
  const text = query.toString()
  return text === '' ? '/animals' : `/animals?${text}`
}

const SIZES = ['small', 'medium', 'large', 'extra_large']
const GOOD_WITH = ['goodWithChildren', 'goodWithDogs', 'goodWithCats'] as const

interface FormParts {
  /** As they were sent, whether or not they make sense. */
  asked: Partial<ListQuery>
  problems: Problem[]
  /** Names of categories. */
  kinds: string[]
  /** Names of breeds that may be meant. */
  breeds: string[]
}

/** What visitors look for: a form of an address, which works without a script. */
export function filterForm(phrasing: Phrasing, { asked, problems, kinds, breeds }: FormParts): Html {
  const { gallery } = phrasing.texts
  const used = parametersOf(asked as ListQuery).filter(([name]) => !FIRST.includes(name)).length
  const text = (name: 'q' | 'near', label: string, placeholder: string): Html =>
    textField({ name, label, placeholder, problems, maxLength: 100, value: one(asked[name]) })
  const kind = one(asked.kind)
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
    ...kinds.map((name) => [fold(name), kindWords(phrasing.texts, name)] as const),
  ],
})}
${text('near', gallery.near, gallery.nearExample)}
${selectField({
  name: 'within',
  label: gallery.within,
  problems,
  value: String(one(asked.within) ?? 100),
  choices: distances(asked).map((km) => [String(km), distanceWords(phrasing.language, km * 1_000)] as const),
})}
<button>${gallery.search}</button>
</div>
<details${(used > 0 || problems.some(({ field }) => !FIRST.includes(field))) && html` open`}><summary>${gallery.more}${
    used > 0 && html` <span class="tag">${gallery.inUse(used)}</span>`
  }</summary>
<div class="finder-more">
${moreFields(phrasing, asked, problems, breeds)}
</div>
<button>${gallery.search}</button>
</details>
</form>`
}

/** Those that are always seen. */
const FIRST = ['q', 'kind', 'near', 'within']

function moreFields(
  { texts }: Phrasing,
  asked: Partial<ListQuery>,
  problems: Problem[],
  breeds: string[],
): Part[] {
  const { gallery, common } = texts
  const words = (of: Record<string, string>, values: readonly string[]) =>
    values.map((value) => [value, of[value] ?? value] as const)
  return [
    textField({
      name: 'breed',
      label: gallery.breed,
      problems,
      maxLength: 80,
      value: one(asked.breed),
      ...(breeds.length > 0 && { list: 'breeds' }),
    }),
    breeds.length > 0 &&
      html`<datalist id="breeds">${breeds.map((name) => html`<option value="${name}">`)}</datalist>`,
    selectField({
      name: 'sex',
      label: gallery.sex,
      problems,
      value: one(asked.sex),
      choices: [['', gallery.either], ...words(common.sex, ['female', 'male'])],
    }),
    selectField({
      name: 'sort',
      label: gallery.sort,
      problems,
      value: one(asked.sort),
      choices: [['', gallery.usualOrder], ...words(gallery.sorts, Object.keys(gallery.sorts))],
    }),
    checkGroup(gallery.age, checks('age', words(common.age, AGES), asked.age)),
    checkGroup(gallery.size, checks('size', words(common.size, SIZES), asked.size)),
    checkGroup(
      gallery.goodWith,
      GOOD_WITH.map((name) => check(name, 'true', gallery[name], one(asked[name]) === 'true')),
    ),
  ]
}

/** Some that may be chosen together. */
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

/** A distance that somebody wrote into the address is one of the list too. */
function distances({ within }: Partial<ListQuery>): number[] {
  const asked = Number(one(within))
  const isOther = Number.isInteger(asked) && asked > 0 && asked <= 500 && !DISTANCES.includes(asked)
  return isOther ? [...DISTANCES, asked].sort((one, other) => one - other) : DISTANCES
}

/** Whatever an address has: a form has one value for a field. */
function one(value: unknown): string | undefined {
  const [first] = [value].flat()
  return first === undefined ? undefined : String(first)
}

/**
 * The filters in use, each with a link to the list without it.
 *
 * @param kinds names of categories
 */
export function filterChips(phrasing: Phrasing, asked: ListQuery, kinds: string[]): Html | undefined {
  const { gallery } = phrasing.texts
  // How far is a part of where.
  const parameters = parametersOf(asked)
  const shown = parameters.filter(([name]) => name !== 'within' && name !== 'sort')
  if (shown.length === 0) return undefined
  const chips = shown.map((chip) => {
    const words = wordsOf(phrasing, asked, chip, kinds)
    const others = parameters.filter(
      (one) => one !== chip && !(chip[0] === 'near' && PLACED.includes(one[0])),
    )
    return html`<li><a class="chip" href="${listPath(others)}"><span class="visually-hidden">${gallery.without(
      words,
    )}</span><span aria-hidden="true">${words} ✕</span></a></li>`
  })
  return html`<ul class="chips" aria-label="${gallery.filters}">${chips}<li><a href="/animals">${gallery.removeAll}</a></li></ul>`
}

/** What makes sense near a place alone. */
const PLACED = ['within', 'sort']

function wordsOf(
  { texts, language }: Phrasing,
  { within }: ListQuery,
  [name, value]: [string, string],
  kinds: string[],
): string {
  const { common, gallery } = texts
  switch (name) {
    case 'kind':
      return kindWords(texts, kinds.find((kind) => fold(kind) === fold(value)) ?? value)
    case 'age':
      return common.age[value] ?? value
    case 'size':
      return common.size[value] ?? value
    case 'sex':
      return common.sex[value] ?? value
    case 'near':
      return gallery.nearFilter(value, distanceWords(language, within * 1_000))
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
