import { countWaiting, MAX_COUNTED } from '../../../applications/search.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import * as inventory from '../../../inventory/statistics.ts'
import { viewerOf } from '../../../orders/store.ts'
import { list as listOrganizations } from '../../../organizations/list.ts'
import { finderOf } from '../../../pets/search/filters.ts'
import {
  countUnlisted,
  latestChanges,
  listForStaff,
  type StaffPet,
  type StaffPetQuery,
} from '../../../pets/staff-list.ts'
import { photosBaseForPages } from '../../../photos/storage/stored-photo.ts'
import { listChangeAuthors } from '../../../staff/store.ts'
import { scopeOf } from '../../../webhooks/rules.ts'
import { list as listWebhooks } from '../../../webhooks/store.ts'
import { formatDateTime } from '../formats.ts'
import { authorLabel, type HistoryLine, linesOf } from './animals/history.ts'
import { briefRows, ROW_MEMBERS } from './animals/rows.ts'
import { readKinds } from './choices.ts'
import { consolePage } from './frame.ts'
import { noneYet } from './organization/organization.ts'
import { PREFIX, type Routes, type Visit } from './visit.ts'

const MAX_ANIMALS = 5
const MAX_CHANGES = 8
const MAX_WEBHOOK_LINES = 3

/** The overview: numbers, tasks and the latest changes. */
export function startPage({ get }: Routes): void {
  get('/', page)
}

async function page(visit: Visit): Promise<string> {
  const { start, animals } = visit.words
  const { organizationId } = visit.caller
  const { overall } = await inventory.count(visit.db, organizationId)
  const isEmpty = Object.values(overall).every((count) => count === 0)
  const counts = {
    ...overall,
    unlisted: overall.unlisted && (await countUnlisted(finderOf(visit.context), organizationId)),
  }
  const mayAdd = visit.may('changeAnimals')
  const main = html`<div class="head"><h1>${start.title}</h1>
${mayAdd && html`<a class="button" href="${PREFIX}/animals/new">${animals.add}</a>`}</div>
${await shelterFirst(visit)}
${await webhookLines(visit)}
${!isEmpty && (await waitingLine(visit))}
${isEmpty ? html`<p class="card">${start.empty}</p>` : numbers(counts, visit)}
${
  !isEmpty &&
  html`<div class="two">${await toDo(visit)}</div>
${await latest(visit)}`
}`
  return consolePage(visit, { title: start.title, main })
}

/**
 * The link to add the first organization, for callers who may add one. Nearly all other data belongs to an
 * organization.
 */
async function shelterFirst(visit: Visit): Promise<Part> {
  if (!visit.may('addOrganizations')) return undefined
  const found = await listOrganizations(visit.db, { limit: 1, within: 1 })
  return found.length === 0 && noneYet(visit, visit.words.start.noOrganization)
}

/** The number of applications that need a decision, as a link. */
async function waitingLine({ db, caller, may, words }: Visit): Promise<Part> {
  if (!may('seeAdopters')) return undefined
  const count = await countWaiting(db, viewerOf(caller))
  const { applications } = words
  const line = applications.onStart(Math.min(count, MAX_COUNTED), count > MAX_COUNTED)
  return count > 0 && html`<p class="notice"><a href="${PREFIX}/applications">${line}</a></p>`
}

/** A line for each webhook that the service has switched off. */
async function webhookLines(visit: Visit): Promise<Part> {
  if (!visit.may('manageWebhooks')) return undefined
  const { webhooks: words } = visit.words
  const scope = scopeOf(visit.caller)
  const found = await listWebhooks(visit.db, { ...scope, isSwitchedOff: true, limit: MAX_WEBHOOK_LINES })
  return found.map(
    ({ id, url }) =>
      html`<p class="notice"><a href="${PREFIX}/webhooks/${id}">${words.onStart(new URL(url).host)}</a></p>`,
  )
}

function numbers(counts: Record<string, number>, { language, words: { start } }: Visit): Html {
  const items = ['available', 'pending', 'unlisted', 'sold'].map((status) => {
    const count = counts[status] ?? 0
    return html`<li><a href="${PREFIX}/animals?status=${status}"><b>${count.toLocaleString(language)}</b> ${start.counted(status, count)}</a></li>`
  })
  return html`<h2 class="visually-hidden">${start.numbers}</h2><ul class="numbers">${items}</ul>`
}

async function toDo(visit: Visit): Promise<Part> {
  const { caller } = visit
  const { start } = visit.words
  const own = caller.organizationId
  const renderOptions = { view: caller.view, photosBase: photosBaseForPages(visit.context.config) }
  const few = async (query: StaffPetQuery): Promise<StaffPet[]> => {
    const options = {
      query: { ...query, organizationId: own },
      limit: MAX_ANIMALS,
      selection: ROW_MEMBERS,
      renderOptions,
    }
    return (await listForStaff(finderOf(visit.context), options)).found
  }
  const [noPhotos, longest] = [
    await few({ status: 'available', hasPhotos: false, sort: '-id' }),
    await few({ status: 'available', sort: 'intake' }),
  ]
  const kinds = await readKinds(visit)
  const categories = new Map(kinds.map(({ id, words }) => [String(id), words]))
  const options = { visit, now: visit.clock(), categories }
  const part = (id: string, title: string, pets: StaffPet[], none: string, all?: string): Html =>
    html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${pets.length > 0 ? briefRows(pets, options) : html`<p>${none}</p>`}
${all && pets.length === MAX_ANIMALS && html`<p><a href="${PREFIX}/animals?${all}">${start.allOfThem}</a></p>`}</section>`
  return [
    part('no-photos', start.noPhotos, noPhotos, start.noPhotosNone, 'status=available&photos=without'),
    part('longest', start.longest, longest, start.longestNone, 'status=available&sort=intake'),
  ]
}

async function latest({ db, caller, language, texts, words }: Visit): Promise<Html> {
  const changes = await latestChanges(db, caller.organizationId, MAX_CHANGES)
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
