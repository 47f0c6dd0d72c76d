import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { makeCursor, readCursor } from '../../../../http/cursor.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import {
  listForStaff,
  type StaffPet,
  type StaffPetPage,
  type StaffPetQuery,
} from '../../../../pets/inside.ts'
import { parseFields } from '../../../../pets/row.ts'
import { type Finder, finderOf } from '../../../../pets/search/filters.ts'
import type { Position } from '../../../../pets/search/matching.ts'
import { photosBaseForPages } from '../../../../photos/storage/stored-photo.ts'
import { daysSince } from '../../dates.ts'
import { selectField, textField } from '../../forms.ts'
import { agree } from '../../gallery/phrases.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import { type Choice, type Choices, readChoices } from '../choices.ts'
import { consolePage, pagerOf, wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { statusTag } from './page.ts'

const PATH = `${PREFIX}/animals`
const PAGE_SIZE = 25
const MAX_Q_LENGTH = 100
const MAX_WORDS = 8

/** The filters in an address. An invalid value becomes empty. */
interface Filters {
  q: string
  status: string
  category: string
  organization: string
  photos: string
}
const NAMES = ['q', 'status', 'category', 'organization', 'photos'] as const satisfies (keyof Filters)[]

export function listAnimals(app: App, context: Context): void {
  const finder = finderOf(context)
  app.get('/animals', (request) => page(context, finder, request))
}

async function page(context: Context, finder: Finder, request: FastifyRequest): Promise<string> {
  const { config, cursorSecret, clock } = context
  const { words } = wordsFor(request)
  const { animals } = words
  const filters = filtersIn(request.query as Record<string, unknown>)
  const choices = await readChoices(context, request)
  const query = queryOf(filters, request)
  const scope = JSON.stringify(['console animals', request.caller.view, filters])
  const { cursor } = request.query as { cursor?: unknown }
  const after = typeof cursor === 'string' ? readCursor<Position>(cursorSecret, scope, cursor) : undefined
  const renderOptions = { view: request.caller.view, photosBase: photosBaseForPages(config) }
  const found = await listForStaff(finder, {
    query,
    limit: PAGE_SIZE,
    after,
    selection: ROW_MEMBERS,
    renderOptions,
  })
  const next = found.next && makeCursor(cursorSecret, scope, found.next)
  const used = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
  const to = (more = {}): string => `${PATH}?${new URLSearchParams({ ...used, ...more })}`
  const main = html`<div class="head"><h1>${animals.title}</h1>
${callerMay(request.caller, 'changeAnimals') && html`<a class="button" href="${PATH}/new">${animals.add}</a>`}</div>
${filterForm(filters, choices, words)}
${list(found, { request, now: clock(), ...namesOf(choices) }, words)}
${pagerOf(animals, after !== undefined && to(), next && to({ cursor: next }))}`
  return consolePage(request, { title: animals.title, main })
}

function filtersIn(query: Record<string, unknown>): Filters {
  const [q, status, category, organization, photos] = NAMES.map((name) => {
    const value = query[name]
    return typeof value === 'string' ? value.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim() : ''
  }) as [string, string, string, string, string]
  const words = [...q].slice(0, MAX_Q_LENGTH).join('').trim().split(/\s+/).slice(0, MAX_WORDS)
  const id = (text: string): string => (/^\d{1,15}$/.test(text) ? text : '')
  return {
    q: words.join(' '),
    status: ['available', 'pending', 'sold', 'unlisted'].includes(status) ? status : '',
    category: id(category),
    organization: id(organization),
    photos: ['with', 'without'].includes(photos) ? photos : '',
  }
}

/**
 * The query of the list. For a caller who belongs to an organization, it finds only animals of that
 * organization.
 */
function queryOf(
  { q, status, category, organization, photos }: Filters,
  { caller }: FastifyRequest,
): StaffPetQuery {
  const own = caller.organizationId ?? (organization === '' ? undefined : organization)
  return {
    q: q === '' ? undefined : q,
    status: status === '' ? undefined : (status as StaffPetQuery['status']),
    categoryId: category === '' ? undefined : Number(category),
    organizationId: own === undefined ? undefined : Number(own),
    hasPhotos: photos === '' ? undefined : photos === 'with',
    sort: '-id',
  }
}

function namesOf({ categories, organizations }: Choices) {
  return {
    categories: new Map(categories),
    organizations: Array.isArray(organizations) ? new Map(organizations) : undefined,
  }
}

function filterForm(filters: Filters, choices: Choices, { animals }: Texts['console']): Html {
  const select = (name: keyof Filters, label: string, any: string, all: readonly Choice[]) =>
    selectField({ name, label, value: filters[name], choices: [['', any], ...all] })
  const statuses = Object.entries(animals.statuses)
  const photos: Choice[] = [
    ['with', animals.withPhotos],
    ['without', animals.withoutPhotos],
  ]
  const { categories, organizations } = choices
  const isFiltered = NAMES.some((name) => filters[name] !== '')
  return html`<form class="filters" method="get" action="${PATH}" role="search">
${textField({ name: 'q', label: animals.search, value: filters.q, type: 'search', maxLength: MAX_Q_LENGTH })}
${select('status', animals.status, animals.anyStatus, statuses)}
${select('category', animals.category, animals.anyCategory, categories)}
${Array.isArray(organizations) && select('organization', animals.organization, animals.anyOrganization, organizations)}
${select('photos', animals.photos, animals.anyPhotos, photos)}
<div class="row"><button class="plain">${animals.show}</button>
${isFiltered && html`<a href="${PATH}">${animals.clear}</a>`}</div></form>`
}

function list(
  { found, next }: StaffPetPage,
  options: Parameters<typeof rows>[1],
  words: Texts['console'],
): Html {
  const { animals } = words
  if (found.length > 0) return html`<h2 class="visually-hidden">${animals.found}</h2>${rows(found, options)}`
  return html`<p class="card">${next ? animals.more : animals.none}</p>`
}

/** The members of an animal that a row needs. */
export const ROW_MEMBERS = parseFields(
  'id,name,categoryId,status,externalId,organizationId,breed,age,sex,photos,publishedAt',
)

export interface RowsOptions {
  request: FastifyRequest
  now: number
  /** The names of categories and organizations, by id. */
  categories: ReadonlyMap<string, string>
  organizations?: ReadonlyMap<string, string> | undefined
  /** Shows only the waiting time, because the title of the list says the rest. */
  isBrief?: boolean
}

/** A list of animals. Each row gives the reason why the animal is or is not in the gallery. */
export function rows(pets: readonly StaffPet[], options: RowsOptions): Html {
  return html`<ul class="animals">${pets.map((pet) => row(pet, options))}</ul>`
}

function row(pet: StaffPet, options: RowsOptions): Html {
  const { words } = wordsFor(options.request)
  const status = pet.status ?? 'unlisted'
  return html`<li>${thumbnail(pet, words)}<div class="about"><a href="${PREFIX}/animals/${pet.id}">${pet.name}</a>
<small>${facts(pet, options)}</small></div>
<div class="state">${!options.isBrief && statusTag(pet, options.request)} <small>${!options.isBrief && words.animals.why[status]} ${waiting(pet, options, words)}</small></div>
${pet.status === undefined && callerMay(options.request.caller, 'changeAnimals') && publish(pet, options, words)}</li>`
}

const SIDE = 64

function thumbnail({ photos }: StaffPet, words: Texts['console']): Html {
  const [first] = photos ?? []
  if (!first) return html`<span class="thumb none"><small>${words.animals.noPhoto}</small></span>`
  return html`<img class="thumb" src="${first.sizes.small}" alt="" width="${SIDE}" height="${SIDE}" loading="lazy">`
}

function facts(pet: StaffPet, { request, categories, organizations }: RowsOptions): Part {
  const { language, common } = wordsFor(request)
  const { categoryId, breed, age, sex, externalId, organizationId } = pet
  const all = [
    breed?.primary ?? categories.get(String(categoryId)),
    age && agree(textsOf(language), common.age[age] ?? age, sex ? { sex } : {}),
    sex && sex !== 'unknown' && common.sex[sex],
    externalId,
    organizationId !== undefined && organizations?.get(String(organizationId)),
  ]
  return all.filter(Boolean).join(' · ')
}

function waiting({ status, publishedAt }: StaffPet, { now }: RowsOptions, words: Texts['console']): Part {
  const waits = status === 'available' || status === 'pending'
  return waits && publishedAt !== undefined && words.animals.days(daysSince(publishedAt, now))
}

/** A button that publishes an animal and returns to this list. */
function publish({ id, name }: StaffPet, { request }: RowsOptions, words: Texts['console']): Html {
  return html`<form method="post" action="${PREFIX}/animals/${id}/status"><input type="hidden" name="to" value="${request.url}">
<button class="plain" name="status" value="available" aria-label="${words.animals.publishName(name)}">${words.animals.publish}</button></form>`
}
