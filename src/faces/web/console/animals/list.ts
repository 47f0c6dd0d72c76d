import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { makeCursor, readCursor } from '../../../../http/cursor.ts'
import { type Html, html } from '../../../../http/html.ts'
import { listForStaff } from '../../../../pets/inside.ts'
import { finderOf } from '../../../../pets/search/filters.ts'
import type { Position } from '../../../../pets/search/matching.ts'
import { photosBaseForPages } from '../../../../photos/storage/stored-photo.ts'
import { type Choices, readChoices } from '../choices.ts'
import { consolePage, pagerOf, wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { addressOf, filterForm, filtersIn, LIST_PATH, queryOf } from './filters.ts'
import { ROW_MEMBERS, table } from './rows.ts'
import { type SelectedResult, selectedForm, selectedReport } from './selected-form.ts'

const PAGE_SIZE = 25

export function listAnimals(app: App, context: Context): void {
  app.get('/animals', (request) => listPage(context, request, request.query as Record<string, unknown>))
}

/** @param query the filters and the cursor @param result what became of the selected animals */
export async function listPage(
  context: Context,
  request: FastifyRequest,
  query: Record<string, unknown>,
  result?: SelectedResult,
): Promise<string> {
  const { config, cursorSecret, clock } = context
  const { words } = wordsFor(request)
  const { animals, list } = words
  const filters = filtersIn(query)
  const choices = await readChoices(context, request)
  const scope = JSON.stringify(['console animals', request.caller.view, filters])
  const cursor = typeof query.cursor === 'string' ? query.cursor : undefined
  const after = cursor === undefined ? undefined : readCursor<Position>(cursorSecret, scope, cursor)
  const { found, next } = await listForStaff(finderOf(context), {
    query: queryOf(filters, request),
    limit: PAGE_SIZE,
    after,
    selection: ROW_MEMBERS,
    renderOptions: { view: request.caller.view, photosBase: photosBaseForPages(config) },
  })
  const address = addressOf(filters, { ...(cursor !== undefined && { cursor }) })
  const selected = new Set(result?.selected)
  const options = { request, now: clock(), filters, address, selected, ...namesOf(choices) }
  const nextPage = next && addressOf(filters, { cursor: makeCursor(cursorSecret, scope, next) })
  const main = html`<div class="head"><h1>${animals.title}</h1>
${callerMay(request.caller, 'changeAnimals') && html`<a class="button" href="${PREFIX}/animals/new">${animals.add}</a>`}</div>
${selectedReport(request, result)}${filterForm(filters, choices, words)}
${
  found.length > 0
    ? html`<h2 class="visually-hidden">${animals.found}</h2>${table(found, options)}${selectedForm(request, address, choices, result)}`
    : html`<p class="card">${animals.none}</p>`
}
${pagerOf(list, after !== undefined && addressOf(filters), nextPage)}
${found.length > 0 && csvLink(addressOf(filters, {}, `${LIST_PATH}.csv`), list.download)}`
  return consolePage(request, { title: animals.title, main })
}

const csvLink = (address: string, words: string): Html =>
  html`<p><a href="${address}" download>${words}</a></p>`

export function namesOf({ categories, organizations }: Choices) {
  return {
    categories: new Map(categories),
    organizations: Array.isArray(organizations) ? new Map(organizations) : undefined,
  }
}
