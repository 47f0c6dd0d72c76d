import { type Html, html, type Part } from '../../../../http/html.ts'
import { parseFields } from '../../../../pets/row.ts'
import { isKeptBack } from '../../../../pets/rules.ts'
import type { StaffPet } from '../../../../pets/staff-list.ts'
import { formatDate } from '../../formats.ts'
import { hostOf } from '../../gallery/page-parts.ts'
import { agree } from '../../gallery/phrases.ts'
import type { Texts } from '../../texts/texts.ts'
import { PREFIX, type Visit } from '../visit.ts'
import { careSentence, daysInCare } from './days.ts'
import { addressOf, type Filters, SORT_COLUMNS } from './filters.ts'
import { holdTag, statusTag, whyOf } from './page.ts'

/** The members of an animal that a row needs. */
export const ROW_MEMBERS = parseFields(
  'id,name,categoryId,status,externalId,organizationId,breed,age,sex,photos,source,staff,publishedAt,createdAt',
)

export interface RowsOptions {
  visit: Visit
  now: number
  /** The names of categories and organizations, by id. */
  categories: ReadonlyMap<string, string>
  organizations?: ReadonlyMap<string, string> | undefined
}

/** A short list of animals, with their days in care. */
export function briefRows(pets: readonly StaffPet[], options: RowsOptions): Html {
  const { words } = options.visit
  const items = pets.map(
    (
      pet,
    ) => html`<li>${thumbnail(pet, words)}<div class="about"><a href="${PREFIX}/animals/${pet.id}">${pet.name}</a>
<small>${facts(pet, options)}</small></div>
<div class="state"><small>${careSentence(options.visit, pet, options.now)}</small></div></li>`,
  )
  return html`<ul class="animals">${items}</ul>`
}

export interface TableOptions extends RowsOptions {
  filters: Filters
  /** The address of the list, to which forms return. */
  address: string
  /** The ids of selected animals. */
  selected: ReadonlySet<number>
}

/**
 * The id of the form for selected animals. The form is outside the table, because rows have forms of their
 * own.
 */
export const SELECTED_FORM = 'selected'

/** A table of animals, which a phone shows as cards. */
export function table(pets: readonly StaffPet[], options: TableOptions): Html {
  const { words } = options.visit
  const mayChange = options.visit.may('changeAnimals')
  const heads = SORT_COLUMNS.map((column) => heading(column, options.filters, words.list))
  return html`<table class="list"><thead><tr>${mayChange && html`<td></td>`}<td></td>${heads}${mayChange && html`<td></td>`}</tr></thead>
<tbody>${pets.map((pet) => row(pet, options, words, mayChange))}</tbody></table>`
}

function heading(column: string, filters: Filters, { columns }: Texts['console']['list']): Html {
  const isUp = filters.sort === column
  const isDown = filters.sort === `-${column}`
  const order = isUp ? 'ascending' : 'descending'
  const to = addressOf({ ...filters, sort: isUp ? `-${column}` : column })
  return html`<th scope="col"${(isUp || isDown) && html` aria-sort="${order}"`}><a href="${to}">${columns[column]}</a></th>`
}

function row(pet: StaffPet, options: TableOptions, words: Texts['console'], mayChange: boolean): Html {
  const { visit, selected } = options
  const { list } = words
  const { id, name, externalId, staff } = pet
  const cell = (column: string, content: Part): Html =>
    html`<td data-label="${list.columns[column]}"${!content && html` class="empty"`}>${content}</td>`
  const mayPublish = mayChange && pet.status === undefined && !isKeptBack(pet)
  const box = html`<label><input type="checkbox" form="${SELECTED_FORM}" name="id" value="${id}"${
    selected.has(id) && html` checked`
  }><span class="visually-hidden">${list.select(name)}</span></label>`
  return html`<tr>${
    mayChange && html`<td class="pick">${pet.source === undefined && box}</td>`
  }<td class="picture">${thumbnail(pet, words)}</td>
<th scope="row"><a href="${PREFIX}/animals/${id}">${name}</a><small>${facts(pet, options)}</small></th>
${cell('number', externalId)}${cell('kennel', staff?.kennel)}${cell('intake', days(pet, options))}
<td class="state">${statusTag(pet, visit)} ${holdTag(pet, visit)} <small>${whyOf(pet, words)}</small></td>
${mayChange && html`<td class="do">${mayPublish && publish(pet, options, words)}</td>`}</tr>`
}

function days(pet: StaffPet, { visit, now }: RowsOptions): Part {
  const { language, words } = visit
  const care = daysInCare(pet, now)
  if (!care) return undefined
  if (care.isPlanned) return words.list.planned(formatDate(language, Date.parse(care.since)))
  const count = words.list.day(care.days)
  return care.isFromIntake ? count : html`${count} <small>${words.list.sinceAdded}</small>`
}

const SIDE = 64

function thumbnail({ photos, source }: StaffPet, words: Texts['console']): Html {
  // The console loads no photos of other installations.
  if (source !== undefined) return html`<span class="thumb none"></span>`
  const [first] = photos ?? []
  if (!first) return html`<span class="thumb none"><small>${words.animals.noPhoto}</small></span>`
  return html`<img class="thumb" src="${first.sizes.small}" alt="" width="${SIDE}" height="${SIDE}" loading="lazy">`
}

function facts(pet: StaffPet, { visit, categories, organizations }: RowsOptions): Part {
  const { texts, common } = visit
  const { categoryId, breed, age, sex, organizationId, source } = pet
  const all = [
    breed?.primary ?? categories.get(String(categoryId)),
    age && agree(texts, common.age[age] ?? age, sex ? { sex } : {}),
    sex && sex !== 'unknown' && common.sex[sex],
    organizationId !== undefined && organizations?.get(String(organizationId)),
    source && `${common.copiedFrom} ${hostOf(source)}`,
  ]
  return all.filter(Boolean).join(' · ')
}

/** A button that publishes an animal and returns to this list. */
function publish({ id, name }: StaffPet, { address }: TableOptions, words: Texts['console']): Html {
  return html`<form method="post" action="${PREFIX}/animals/${id}/status"><input type="hidden" name="to" value="${address}">
<button class="plain" name="status" value="available" aria-label="${words.animals.publishName(name)}">${words.animals.publish}</button></form>`
}
