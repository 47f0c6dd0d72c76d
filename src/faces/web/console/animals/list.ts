import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { makeCursor, readCursor } from '../../../../http/cursor.ts'
import { type Html, html } from '../../../../http/html.ts'
import { type InsidePage, type InsideQuery, listInside } from '../../../../pets/inside.ts'
import type { Position } from '../../../../pets/search/candidates.ts'
import { type Finder, finderOf } from '../../../../pets/search/find.ts'
import { photosBeside } from '../../../../photos/storage/kept.ts'
import { selectField, textField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { type Choice, type Choices, readChoices } from '../choices.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { ROW_PICKED, rows } from './rows.ts'

const PATH = `${PREFIX}/animals`
const PAGE = 25
const MOST_Q = 100
const MOST_WORDS = 8

/** Filters as the address has them; what cannot be one is left out. */
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
  const show = { view: request.caller.view, photosAt: photosBeside(config) }
  const found = await listInside(finder, { query, limit: PAGE, after, picked: ROW_PICKED, show })
  const next = found.next && makeCursor(cursorSecret, scope, found.next)
  const main = html`<div class="head"><h1>${animals.title}</h1>
${callerMay(request.caller, 'changeAnimals') && html`<a class="button" href="${PATH}/new">${animals.add}</a>`}</div>
${filterForm(filters, choices, words)}
${list(found, { request, now: clock(), ...namesOf(choices) }, words)}
${pager({ filters, next, isFirst: after === undefined }, words)}`
  return consolePage(request, { title: animals.title, main })
}

function filtersIn(query: Record<string, unknown>): Filters {
  const [q, status, category, organization, photos] = NAMES.map((name) => {
    const value = query[name]
    return typeof value === 'string' ? value.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim() : ''
  }) as [string, string, string, string, string]
  const words = [...q].slice(0, MOST_Q).join('').trim().split(/\s+/).slice(0, MOST_WORDS)
  const id = (text: string): string => (/^\d{1,15}$/.test(text) ? text : '')
  return {
    q: words.join(' '),
    status: ['available', 'pending', 'sold', 'unlisted'].includes(status) ? status : '',
    category: id(category),
    organization: id(organization),
    photos: ['with', 'without'].includes(photos) ? photos : '',
  }
}

/** Whoever belongs to an organization works with its animals alone. */
function queryOf(
  { q, status, category, organization, photos }: Filters,
  { caller }: FastifyRequest,
): InsideQuery {
  const own = caller.organizationId ?? (organization === '' ? undefined : organization)
  return {
    q: q === '' ? undefined : q,
    status: status === '' ? undefined : (status as InsideQuery['status']),
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
${textField({ name: 'q', label: animals.search, value: filters.q, type: 'search', mostCharacters: MOST_Q })}
${select('status', animals.status, animals.anyStatus, statuses)}
${select('category', animals.category, animals.anyCategory, categories)}
${Array.isArray(organizations) && select('organization', animals.organization, animals.anyOrganization, organizations)}
${select('photos', animals.photos, animals.anyPhotos, photos)}
<div class="row"><button class="plain">${animals.show}</button>
${isFiltered && html`<a href="${PATH}">${animals.clear}</a>`}</div></form>`
}

function list(
  { found, next }: InsidePage,
  options: Parameters<typeof rows>[1],
  words: Texts['console'],
): Html {
  const { animals } = words
  if (found.length > 0) return html`<h2 class="visually-hidden">${animals.found}</h2>${rows(found, options)}`
  return html`<p class="card">${next ? animals.more : animals.none}</p>`
}

interface Paging {
  filters: Filters
  next: string | undefined
  isFirst: boolean
}

function pager({ filters, next, isFirst }: Paging, { animals }: Texts['console']): Html {
  const given = NAMES.flatMap((name) =>
    filters[name] === '' ? [] : [[name, filters[name]] as [string, string]],
  )
  const to = (more: [string, string][]): string => `${PATH}?${new URLSearchParams([...given, ...more])}`
  return html`<p class="pager">${!isFirst && html`<a class="button plain" href="${to([])}">${animals.first}</a>`}
${next !== undefined && html`<a class="button plain" rel="next" href="${to([['cursor', next]])}">${animals.next}</a>`}</p>`
}
