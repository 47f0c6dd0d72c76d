import type { FastifyReply, FastifyRequest } from 'fastify'
import { fold } from '../../../categories/store.ts'
import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { makeCursor, readCursor } from '../../../http/cursor.ts'
import { type Html, html } from '../../../http/html.ts'
import { publicOrigin } from '../../../http/link.ts'
import { scopeOf } from '../../../pets/query.ts'
import type { Position } from '../../../pets/search/candidates.ts'
import * as vocabulary from '../../../vocabulary/store.ts'
import type { Problem } from '../forms.ts'
import { pageHeaders } from '../page.ts'
import type { Texts } from '../texts/texts.ts'
import { type Gallery, type Listing, listAnimals } from './animals.ts'
import { type Asked, AskedQuery, dropEmpty, listPath, parametersOf, petQueryOf } from './asked.ts'
import { cardList, namesFor } from './cards.ts'
import { filterChips } from './filter-chips.ts'
import { filterForm } from './filter-form.ts'
import { galleryPage } from './frame.ts'
import { numberWords, type Phrasing } from './phrases.ts'
import { newPage, phrasingFor, sendGallery, sendRefusal } from './send.ts'

/** The animals that look for a home: all of them, or those that a visitor looks for. */
export function listRoutes(app: App, gallery: Gallery): void {
  const { config } = gallery.context
  const headers = pageHeaders(config)
  const options = {
    attachValidation: true,
    preValidation: dropEmpty,
    schema: { querystring: AskedQuery },
  }
  for (const path of ['/', '/animals'])
    app.get(path, options, async (request, reply) => {
      try {
        if (request.validationError) throw request.validationError
        return await sendGallery(request, reply, gallery.context, async (phrasing) => {
          const found = await search(gallery, request.query)
          const origin = publicOrigin(config, request)
          const body = await listPage(gallery, phrasing, { path, asked: request.query, found, origin })
          return newPage(body, { headers, passing: found.passing, now: phrasing.now })
        })
      } catch (error) {
        return refuse(gallery, error, request, reply)
      }
    })
}

interface Found extends Listing {
  /** Of the next page. */
  cursor: string | undefined
}

async function search(gallery: Gallery, asked: Asked): Promise<Found> {
  const { cursorSecret } = gallery.context
  const query = await petQueryOf(gallery, asked)
  const scope = scopeOf(query, 'public')
  const after =
    asked.cursor === undefined ? undefined : readCursor<Position>(cursorSecret, scope, asked.cursor)
  const listing = await listAnimals(gallery, query, after)
  const { next } = listing
  return { ...listing, cursor: next && makeCursor(cursorSecret, scope, next) }
}

interface ListParts {
  path: string
  asked: Asked
  found: Found
  origin: string
}

async function listPage(
  gallery: Gallery,
  phrasing: Phrasing,
  { path, asked, found, origin }: ListParts,
): Promise<string> {
  const { texts, language } = phrasing
  const { animals, cursor } = found
  const kinds = await kindNames(gallery)
  const names = await namesFor(gallery, animals)
  const parameters = parametersOf(asked)
  const form = { asked, problems: [], kinds, breeds: await breedsOf(gallery, asked) }
  const own = parameters.length === 0 ? '/' : listPath(parameters)
  const isFirst = asked.cursor === undefined
  return galleryPage({
    ...{ language, path },
    title: texts.gallery.title,
    description: texts.gallery.lead,
    scripts: ['gallery.js'],
    head: html`<link rel="canonical" href="${origin}${isFirst ? own : listPath(parameters, asked.cursor)}">`,
    main: html`<h1>${texts.gallery.title}</h1>
${parameters.length === 0 && isFirst && html`<p class="lead">${await waiting(gallery, phrasing)} ${texts.gallery.lead}</p>`}
${parameters.length === 0 ? emptyForm(phrasing, kinds) : filterForm(phrasing, form)}
${filterChips(phrasing, asked, kinds)}
${
  animals.length > 0 ? cardList(phrasing, animals, names) : nothingFound(texts, parameters.length > 0, cursor)
}
${pageLinks(texts, parameters, isFirst, cursor)}`,
  })
}

/** The form that most pages begin with, by language and kinds. */
const emptyForms = new Map<string, Html>()
const MOST_FORMS = 20

function emptyForm(phrasing: Phrasing, kinds: string[]): Html {
  const key = [phrasing.language, ...kinds].join('\n')
  const form = emptyForms.get(key) ?? filterForm(phrasing, { asked: {}, problems: [], kinds, breeds: [] })
  if (emptyForms.size >= MOST_FORMS) emptyForms.clear()
  emptyForms.set(key, form)
  return form
}

async function waiting(gallery: Gallery, { texts, language }: Phrasing): Promise<string | undefined> {
  const count = await gallery.waiting()
  return count > 1 ? texts.gallery.waiting(numberWords(language, count)) : undefined
}

function nothingFound({ gallery }: Texts, isFiltered: boolean, cursor: string | undefined): Html {
  const [title, advice] = !isFiltered
    ? [gallery.noAnimals, gallery.noAnimalsAdvice]
    : cursor === undefined
      ? [gallery.nothing, gallery.nothingAdvice]
      : [gallery.noneYet, gallery.noneYetAdvice]
  return html`<div class="empty"><h2>${title}</h2><p>${advice}</p>${
    isFiltered &&
    cursor === undefined &&
    html`<p><a class="button" href="/animals">${gallery.removeAll}</a></p>`
  }</div>`
}

function pageLinks(
  { gallery }: Texts,
  parameters: [string, string][],
  isFirst: boolean,
  cursor: string | undefined,
): Html | undefined {
  if (isFirst && cursor === undefined) return undefined
  return html`<nav class="pages" aria-label="${gallery.pages}">${
    !isFirst && html`<a class="button plain" href="${listPath(parameters)}">${gallery.first}</a>`
  }${cursor !== undefined && html`<a class="button" rel="next" href="${listPath(parameters, cursor)}">${gallery.next}</a>`}</nav>`
}

async function kindNames({ kinds }: Gallery): Promise<string[]> {
  return [...(await kinds()).values()].map(({ name }) => name)
}

/** Of one kind of animal the names of breeds are few enough to send. */
const MOST_BREEDS = 100

async function breedsOf(gallery: Gallery, { kind }: Partial<Asked>): Promise<string[]> {
  if (typeof kind !== 'string') return []
  const wanted = fold(kind)
  const [found] = [...(await gallery.kinds()).values()].filter(({ name }) => fold(name) === wanted)
  if (!found) return []
  const { db } = gallery.context
  const words = await vocabulary.list(db, 'breed', { categoryId: found.id, limit: MOST_BREEDS })
  return words.slice(0, MOST_BREEDS).map(({ name }) => name)
}

/** What is wrong with an address is said in the form, where it can be mended. */
async function refuse(
  gallery: Gallery,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  if (!(error instanceof ApiError) || error.status !== 400) throw error
  const { context } = gallery
  const phrasing = phrasingFor(request, context)
  const { texts, language } = phrasing
  const asked = request.query as Partial<Asked>
  const problems = (error.details ?? []).map(
    ({ parameter = '' }): Problem => ({
      field: parameter,
      message: texts.gallery.problemOf[parameter] ?? texts.gallery.otherProblem,
    }),
  )
  const form = { asked, problems, kinds: await kindNames(gallery), breeds: [] }
  const body = galleryPage({
    ...{ language, path: '/animals', scripts: ['gallery.js' as const] },
    title: texts.gallery.problems,
    main: html`<h1>${texts.gallery.title}</h1>
${filterForm(phrasing, form)}
<p><a href="/animals">${texts.common.toGallery}</a></p>`,
  })
  return sendRefusal(reply, context.config, 400, body)
}
