import type { FastifyRequest } from 'fastify'
import { countWaiting, MAX_COUNTED } from '../../../applications/search.ts'
import type { Context } from '../../../context.ts'
import type { App } from '../../../http/app.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import * as inventory from '../../../inventory/statistics.ts'
import { viewerOf } from '../../../orders/store.ts'
import { list as listOrganizations } from '../../../organizations/list.ts'
import {
  countUnlisted,
  latestChanges,
  listForStaff,
  type StaffPet,
  type StaffPetQuery,
} from '../../../pets/inside.ts'
import { type Finder, finderOf } from '../../../pets/search/filters.ts'
import { photosBaseForPages } from '../../../photos/storage/stored-photo.ts'
import { listChangeAuthors } from '../../../staff/store.ts'
import { scopeOf } from '../../../webhooks/rules.ts'
import { list as listWebhooks } from '../../../webhooks/store.ts'
import { formatDateTime } from '../formats.ts'
import { authorLabel, type HistoryLine, linesOf } from './animals/history.ts'
import { briefRows, ROW_MEMBERS } from './animals/rows.ts'
import { readKinds } from './choices.ts'
import { consolePage, wordsFor } from './frame.ts'
import { noneYet } from './organization/organization.ts'
import { callerMay, PREFIX } from './pages.ts'

const MAX_ANIMALS = 5
const MAX_CHANGES = 8
const MAX_WEBHOOK_LINES = 3

/** The overview: numbers, tasks and the latest changes. */
export function startPage(app: App, context: Context): void {
  const finder = finderOf(context)
  app.get('/', (request) => page(context, finder, request))
}

async function page(context: Context, finder: Finder, request: FastifyRequest): Promise<string> {
  const { words } = wordsFor(request)
  const { start, animals } = words
  const { organizationId } = request.caller
  const { overall } = await inventory.count(context.db, organizationId)
  const isEmpty = Object.values(overall).every((count) => count === 0)
  const counts = { ...overall, unlisted: overall.unlisted && (await countUnlisted(finder, organizationId)) }
  const mayAdd = callerMay(request.caller, 'changeAnimals')
  const main = html`<div class="head"><h1>${start.title}</h1>
${mayAdd && html`<a class="button" href="${PREFIX}/animals/new">${animals.add}</a>`}</div>
${await shelterFirst(context, request)}
${await webhookLines(context, request)}
${!isEmpty && (await waitingLine(context, request))}
${isEmpty ? html`<p class="card">${start.empty}</p>` : numbers(counts, wordsFor(request))}
${
  !isEmpty &&
  html`<div class="two">${await toDo(context, finder, request)}</div>
${await latest(context, request)}`
}`
  return consolePage(request, { title: start.title, main })
}

/**
 * The link to add the first organization, for callers who may add one. Nearly all other data belongs to an
 * organization.
 */
async function shelterFirst({ db }: Context, request: FastifyRequest): Promise<Part> {
  if (!callerMay(request.caller, 'addOrganizations')) return undefined
  const found = await listOrganizations(db, { limit: 1, within: 1 })
  return found.length === 0 && noneYet(request, wordsFor(request).words.start.noOrganization)
}

/** The number of applications that need a decision, as a link. */
async function waitingLine({ db }: Context, { caller, headers }: FastifyRequest): Promise<Part> {
  if (!callerMay(caller, 'seeAdopters')) return undefined
  const count = await countWaiting(db, viewerOf(caller))
  const { applications } = wordsFor({ headers }).words
  const line = applications.onStart(Math.min(count, MAX_COUNTED), count > MAX_COUNTED)
  return count > 0 && html`<p class="notice"><a href="${PREFIX}/applications">${line}</a></p>`
}

/** A line for each webhook that the service has switched off. */
async function webhookLines({ db }: Context, request: FastifyRequest): Promise<Part> {
  if (!callerMay(request.caller, 'manageWebhooks')) return undefined
  const { webhooks: words } = wordsFor(request).words
  const scope = scopeOf(request.caller)
  const found = await listWebhooks(db, { ...scope, isSwitchedOff: true, limit: MAX_WEBHOOK_LINES })
  return found.map(
    ({ id, url }) =>
      html`<p class="notice"><a href="${PREFIX}/webhooks/${id}">${words.onStart(new URL(url).host)}</a></p>`,
  )
}

function numbers(
  counts: Record<string, number>,
  { language, words: { start } }: ReturnType<typeof wordsFor>,
): Html {
  const items = ['available', 'pending', 'unlisted', 'sold'].map((status) => {
    const count = counts[status] ?? 0
    return html`<li><a href="${PREFIX}/animals?status=${status}"><b>${count.toLocaleString(language)}</b> ${start.counted(status, count)}</a></li>`
  })
  return html`<h2 class="visually-hidden">${start.numbers}</h2><ul class="numbers">${items}</ul>`
}

async function toDo(context: Context, finder: Finder, request: FastifyRequest): Promise<Part> {
  const { start } = wordsFor(request).words
  const { caller } = request
  const own = caller.organizationId
  const renderOptions = { view: caller.view, photosBase: photosBaseForPages(context.config) }
  const few = async (query: StaffPetQuery): Promise<StaffPet[]> => {
    const options = {
      query: { ...query, organizationId: own },
      limit: MAX_ANIMALS,
      selection: ROW_MEMBERS,
      renderOptions,
    }
    return (await listForStaff(finder, options)).found
  }
  const [noPhotos, longest] = [
    await few({ status: 'available', hasPhotos: false, sort: '-id' }),
    await few({ status: 'available', sort: 'intake' }),
  ]
  const kinds = await readKinds(context, request)
  const categories = new Map(kinds.map(({ id, words }) => [String(id), words]))
  const options = { request, now: context.clock(), categories }
  const part = (id: string, title: string, pets: StaffPet[], none: string, all?: string): Html =>
    html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${pets.length > 0 ? briefRows(pets, options) : html`<p>${none}</p>`}
${all && pets.length === MAX_ANIMALS && html`<p><a href="${PREFIX}/animals?${all}">${start.allOfThem}</a></p>`}</section>`
  return [
    part('no-photos', start.noPhotos, noPhotos, start.noPhotosNone, 'status=available&photos=without'),
    part('longest', start.longest, longest, start.longestNone, 'status=available&sort=intake'),
  ]
}

async function latest({ db }: Context, request: FastifyRequest): Promise<Html> {
  const { language, texts, words } = wordsFor(request)
  const changes = await latestChanges(db, request.caller.organizationId, MAX_CHANGES)
  const authors = await listChangeAuthors(
    db,
    changes.map(({ keyId }) => keyId),
  )
  const items = changes.map(
    ({ petId, name, at, keyId, changes }) => html`<li><p><a href="${PREFIX}/animals/${petId}">${name}</a>
<small>${authorLabel(words, authors.get(keyId))}, <time datetime="${new Date(at).toISOString()}">${formatDateTime(language, at)}</time></small></p>
<p>${briefly(linesOf(changes, texts, language))}</p></li>`,
  )
  return html`<section class="card" aria-labelledby="latest"><h2 id="latest">${words.start.latest}</h2>
${items.length > 0 ? html`<ol class="history">${items}</ol>` : html`<p>${words.start.latestNone}</p>`}</section>`
}

/** The labels of the changed fields. A short new value follows its label. */
function briefly(all: HistoryLine[]): string {
  return all.map(({ label, to, isShort }) => (isShort ? `${label}: ${to}` : label)).join(', ')
}
