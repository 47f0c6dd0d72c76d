import { type Html, html } from '../../../../http/html.ts'
import { wholeNumberOf } from '../../../../http/int64.ts'
import type { StaffPetQuery } from '../../../../pets/staff-list.ts'
import { selectField, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import type { Choice, Choices } from '../choices.ts'
import { PREFIX, type Visit } from '../visit.ts'

// The filters and the order of the list of animals, which are in its address.

export const LIST_PATH = `${PREFIX}/animals`
const MAX_Q_LENGTH = 100
const MAX_WORDS = 8

const NAMES = ['q', 'status', 'category', 'organization', 'photos', 'sort'] as const

/** An invalid value becomes empty. */
export type Filters = Record<(typeof NAMES)[number], string>

export const SORT_COLUMNS = ['name', 'number', 'kennel', 'intake', 'status'] as const
const SORTS: string[] = SORT_COLUMNS.flatMap((column) => [column, `-${column}`])

const STATUSES = ['available', 'pending', 'sold', 'unlisted', 'left']

export function filtersIn(query: Record<string, unknown>): Filters {
  const textOf = (name: keyof Filters): string => {
    const value = query[name]
    return typeof value === 'string' ? value.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim() : ''
  }
  const oneOf = (name: keyof Filters, allowed: string[]): string =>
    allowed.find((one) => one === textOf(name)) ?? ''
  const idOf = (name: keyof Filters): string => String(wholeNumberOf(textOf(name)) ?? '')
  const words = [...textOf('q')].slice(0, MAX_Q_LENGTH).join('').trim().split(/\s+/)
  return {
    q: words.slice(0, MAX_WORDS).join(' '),
    status: oneOf('status', STATUSES),
    category: idOf('category'),
    organization: idOf('organization'),
    photos: oneOf('photos', ['with', 'without']),
    sort: oneOf('sort', SORTS),
  }
}

/** The address of the list with these filters. */
export function addressOf(filters: Filters, more: Record<string, string> = {}, path = LIST_PATH): string {
  const used = Object.entries({ ...filters, ...more }).filter(([, value]) => value !== '')
  return used.length > 0 ? `${path}?${new URLSearchParams(used)}` : path
}

/**
 * The query of the list. For a caller who belongs to an organization, it finds only animals of that
 * organization.
 */
export function queryOf(
  { q, status, category, organization, photos, sort }: Filters,
  { caller }: Visit,
): StaffPetQuery {
  const own = caller.organizationId ?? (organization === '' ? undefined : organization)
  return {
    q: q === '' ? undefined : q,
    status: status === '' ? undefined : (status as StaffPetQuery['status']),
    categoryId: category === '' ? undefined : Number(category),
    organizationId: own === undefined ? undefined : Number(own),
    hasPhotos: photos === '' ? undefined : photos === 'with',
    sort: (sort || '-id') as StaffPetQuery['sort'],
  }
}

export function filterForm(filters: Filters, choices: Choices, { animals, list }: Texts['console']): Html {
  const select = (name: keyof Filters, label: string, all: readonly Choice[]) =>
    selectField({ name, label, value: filters[name], choices: all })
  const photos: Choice[] = [
    ['', animals.anyPhotos],
    ['with', animals.withPhotos],
    ['without', animals.withoutPhotos],
  ]
  const sorts = Object.entries(list.sorts)
  const [, backwards] = /^-(.+)/.exec(filters.sort) ?? []
  if (backwards) sorts.push([filters.sort, list.backwards(list.sorts[backwards] ?? '')])
  const { categories, organizations = [] } = choices
  // The only organization needs no filter.
  const hasChoice = organizations !== 'many' && (organizations.length > 1 || filters.organization !== '')
  const isFiltered = NAMES.some((name) => filters[name] !== '')
  return html`<form class="filters" method="get" action="${LIST_PATH}" role="search">
${textField({ name: 'q', label: animals.search, value: filters.q, type: 'search', maxLength: MAX_Q_LENGTH })}
${select('status', animals.status, [['', animals.anyStatus], ...Object.entries(animals.statuses)])}
${select('category', animals.category, [['', animals.anyCategory], ...categories])}
${hasChoice && select('organization', animals.organization, [['', animals.anyOrganization], ...organizations])}
${select('photos', animals.photos, photos)}
${select('sort', list.sort, sorts)}
<div class="row"><button class="plain">${animals.show}</button>
${isFiltered && html`<a href="${LIST_PATH}">${animals.clear}</a>`}</div></form>`
}
