import type { FastifyRequest } from 'fastify'
import { countWaiting, MAX_COUNTED } from '../../../applications/search.ts'
import type { Context } from '../../../context.ts'
import type { App } from '../../../http/app.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import * as inventory from '../../../inventory/store.ts'
import { viewerOf } from '../../../orders/store.ts'
import { list as listOrganizations } from '../../../organizations/search.ts'
import { type InsidePet, type InsideQuery, latestChanges, listInside } from '../../../pets/inside.ts'
import { type Finder, finderOf } from '../../../pets/search/find.ts'
import { photosBeside } from '../../../photos/storage/kept.ts'
import { doersOf } from '../../../staff/store.ts'
import { timeIn } from '../dates.ts'
import { type Texts, textsOf } from '../texts/texts.ts'
import { doerIn, type HistoryLine, linesOf } from './animals/history.ts'
import { ROW_PICKED, rows } from './animals/list.ts'
import { readKinds } from './choices.ts'
import { consolePage, wordsFor } from './frame.ts'
import { noneYet } from './organization/organization.ts'
import { callerMay, PREFIX } from './pages.ts'

/** How many animals and changes are shown. The lists have the rest. */
const FEW = 5
const LATEST = 8

/** The first page: numbers, tasks and the latest changes. */
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
  const mayAdd = callerMay(request.caller, 'changeAnimals')
  const main = html`<div class="head"><h1>${start.title}</h1>
${mayAdd && html`<a class="button" href="${PREFIX}/animals/new">${animals.add}</a>`}</div>
${await shelterFirst(context, request)}
${!isEmpty && (await waitingLine(context, request))}
${isEmpty ? html`<p class="card">${start.empty}</p>` : numbers(overall, words)}
${
  !isEmpty &&
  html`<div class="two">${await toDo(context, finder, request)}</div>
${await latest(context, request)}`
}`
  return consolePage(request, { title: start.title, main })
}

/** The link to add the first organization, for those who can: nearly everything else belongs to one. */
async function shelterFirst({ db }: Context, request: FastifyRequest): Promise<Part> {
  if (!callerMay(request.caller, 'addOrganizations')) return undefined
  const found = await listOrganizations(db, { limit: 1, within: 1 })
  return found.length === 0 && noneYet(request, wordsFor(request).words.start.noOrganization)
}

/** How many applications wait for a decision. */
async function waitingLine({ db }: Context, { caller, headers }: FastifyRequest): Promise<Part> {
  if (!callerMay(caller, 'seeAdopters')) return undefined
  const count = await countWaiting(db, viewerOf(caller))
  const { applications } = wordsFor({ headers }).words
  const line = applications.onStart(Math.min(count, MAX_COUNTED), count > MAX_COUNTED)
  return count > 0 && html`<p class="notice"><a href="${PREFIX}/applications">${line}</a></p>`
}

function numbers(overall: Record<string, number>, { start, animals }: Texts['console']): Html {
  const items = ['available', 'pending', 'unlisted', 'sold'].map(
    (status) =>
      html`<li><a href="${PREFIX}/animals?status=${status}"><b>${overall[status]}</b> ${animals.statuses[status]}</a></li>`,
  )
  return html`<h2 class="visually-hidden">${start.numbers}</h2><ul class="numbers">${items}</ul>`
}

async function toDo(context: Context, finder: Finder, request: FastifyRequest): Promise<Part> {
  const { start } = wordsFor(request).words
  const { caller } = request
  const own = caller.organizationId
  const show = { view: caller.view, photosAt: photosBeside(context.config) }
  const few = async (query: InsideQuery): Promise<InsidePet[]> => {
    const options = { query: { ...query, organizationId: own }, limit: FEW, picked: ROW_PICKED, show }
    return (await listInside(finder, options)).found
  }
  const [noPhotos, longest] = [
    await few({ status: 'available', hasPhotos: false, sort: '-id' }),
    await few({ status: 'available', sort: 'publishedAt' }),
  ]
  const kinds = await readKinds(context, request)
  const categories = new Map(kinds.map(({ id, words }) => [String(id), words]))
  const options = { request, now: context.clock(), categories, isBrief: true }
  const part = (id: string, title: string, pets: InsidePet[], none: string, all?: string): Html =>
    html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${pets.length > 0 ? rows(pets, options) : html`<p>${none}</p>`}
${all && pets.length === FEW && html`<p><a href="${PREFIX}/animals?${all}">${start.allOfThem}</a></p>`}</section>`
  return [
    part('no-photos', start.noPhotos, noPhotos, start.noPhotosNone, 'status=available&photos=without'),
    part('longest', start.longest, longest, start.longestNone),
  ]
}

async function latest({ db }: Context, request: FastifyRequest): Promise<Html> {
  const { language, words } = wordsFor(request)
  const texts = textsOf(language)
  const changes = await latestChanges(db, request.caller.organizationId, LATEST)
  const doers = await doersOf(
    db,
    changes.map(({ keyId }) => keyId),
  )
  const items = changes.map(
    ({ petId, name, at, keyId, changes }) => html`<li><p><a href="${PREFIX}/animals/${petId}">${name}</a>
<small>${doerIn(words, doers.get(keyId))}, <time datetime="${new Date(at).toISOString()}">${timeIn(language, at)}</time></small></p>
<p>${briefly(linesOf(changes, texts))}</p></li>`,
  )
  return html`<section class="card" aria-labelledby="latest"><h2 id="latest">${words.start.latest}</h2>
${items.length > 0 ? html`<ol class="history">${items}</ol>` : html`<p>${words.start.latestNone}</p>`}</section>`
}

/** The names of the changed fields, with short values only. */
function briefly(all: HistoryLine[]): string {
  return all.map(({ label, to, isShort }) => (isShort ? `${label}: ${to}` : label)).join(', ')
}
