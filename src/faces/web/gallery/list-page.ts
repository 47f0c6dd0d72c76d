import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { publicOrigin } from '../../../http/face.ts'
import { type Html, html } from '../../../http/html.ts'
import { countFew, type MatchCount } from '../../../pets/search/facets.ts'
import { breedList, listBreeds } from '../breeds.ts'
import type { Problem } from '../forms.ts'
import { allowPhotos, pageHeaders } from '../page.ts'
import type { Texts } from '../texts/texts.ts'
import { type Gallery, kindNamed, type Listing, listAnimals } from './animals.ts'
import { type CardNames, cardList, namesFor } from './cards.ts'
import {
  dropEmpty,
  filterChips,
  filterForm,
  type ListQuery,
  ListQuerySchema,
  listPath,
  parametersOf,
  petQueryOf,
  sortLinks,
} from './filters.ts'
import { galleryPage } from './frame.ts'
import { pageLinks } from './page-parts.ts'
import { type Animal, countryOf, numberWords, type Phrasing } from './phrases.ts'
import { newPage, phrasingFor, sendGallery, sendRefusal } from './send.ts'

/** Adds the list of animals looking for a home, with its search form. */
export function listRoutes(app: App, gallery: Gallery): void {
  const { config } = gallery.context
  const headers = pageHeaders(config)
  const options = {
    attachValidation: true,
    preValidation: dropEmpty,
    schema: { querystring: ListQuerySchema },
  }
  for (const path of ['/', '/animals'])
    app.get(path, options, async (request, reply) => {
      try {
        if (request.validationError) throw request.validationError
        return await sendGallery(request, reply, gallery.context, async (phrasing) => {
          const { query } = request
          const listing = await listAnimals(gallery, await petQueryOf(gallery, query), query.cursor)
          const origin = publicOrigin(config, request)
          const body = await listPage(gallery, phrasing, { path, query, listing, origin })
          const { isVolatile } = listing
          const allowed = allowPhotos(headers, listing.animals)
          return newPage(body, { headers: allowed, isVolatile, now: phrasing.now })
        })
      } catch (error) {
        return refuse(gallery, error, request, reply)
      }
    })
}

interface ListParts {
  path: string
  query: ListQuery
  listing: Listing
  origin: string
}

async function listPage(
  gallery: Gallery,
  phrasing: Phrasing,
  { path, query, listing, origin }: ListParts,
): Promise<string> {
  const { texts, language } = phrasing
  const { animals, next } = listing
  const kinds = await kindNames(gallery)
  const names = await namesFor(gallery, animals)
  const parameters = parametersOf(query)
  const form = { query, problems: [], kinds, country: await countryOfList(gallery, query, animals, names) }
  const own = parameters.length === 0 ? '/' : listPath(parameters)
  const isFirst = query.cursor === undefined
  return galleryPage({
    ...{ language, path },
    title: texts.gallery.title,
    description: texts.gallery.lead,
    scripts: ['gallery.js'],
    head: html`<link rel="canonical" href="${origin}${isFirst ? own : listPath(parameters, query.cursor)}">`,
    main: html`<h1>${texts.gallery.title}</h1>
${parameters.length === 0 && isFirst && html`<p class="lead">${texts.gallery.lead}</p>`}
${filterForm(phrasing, form)}
${filterChips(phrasing, form)}
${animals.length > 0 && (await listHead(gallery, phrasing, query, listing))}
${animals.length > 0 ? cardList(phrasing, animals, names) : nothingFound(texts, parameters.length > 0, next)}
${pageLinks(texts, isFirst ? undefined : listPath(parameters), next && listPath(parameters, next))}
${breedList(await breedsOf(gallery, query))}`,
  })
}

/** The country whose units come first: that of the first animal near a place, or of most shelters. */
async function countryOfList(
  gallery: Gallery,
  { near }: ListQuery,
  [first]: Animal[],
  { shelters }: CardNames,
): Promise<string | undefined> {
  const country = near && first && countryOf(first, shelters.get(first.organizationId ?? 0))
  return country || gallery.country()
}

/** The number of animals that match, and the links to sort them. */
async function listHead(
  gallery: Gallery,
  phrasing: Phrasing,
  query: ListQuery,
  { animals, next }: Listing,
): Promise<Html> {
  const { texts, language } = phrasing
  const isWhole = query.cursor === undefined && next === undefined
  const found = isWhole ? { count: animals.length, isExact: true } : await countAnimals(gallery, query)
  const words = found && texts.gallery.count(found.count, numberWords(language, found.count))
  return html`<div class="list-head"><p>${found && (found.isExact ? words : texts.gallery.moreThan(words ?? ''))}</p>${
    (!isWhole || animals.length > 1) && sortLinks(phrasing, query)
  }</div>`
}

async function countAnimals(gallery: Gallery, query: ListQuery): Promise<MatchCount | undefined> {
  const isFiltered = parametersOf(query).some(([name]) => name !== 'sort')
  if (!isFiltered) return { count: await gallery.waiting(), isExact: true }
  return countFew(gallery.finder, await petQueryOf(gallery, query))
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

async function kindNames({ kinds }: Gallery): Promise<string[]> {
  return [...(await kinds()).values()].map(({ name }) => name)
}

async function breedsOf(gallery: Gallery, { kind }: Partial<ListQuery>): Promise<string[]> {
  return listBreeds(gallery.context.db, (await kindNamed(gallery, kind))?.id)
}

/** Answers an invalid query with the form and its problems. @throws any other error */
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
  const query = request.query as Partial<ListQuery>
  const problems = (error.details ?? []).map(
    ({ parameter = '' }): Problem => ({
      field: parameter,
      message: texts.gallery.problemOf[parameter] ?? texts.gallery.otherProblem,
    }),
  )
  const form = { query, problems, kinds: await kindNames(gallery), country: await gallery.country() }
  const body = galleryPage({
    ...{ language, path: '/animals', scripts: ['gallery.js' as const] },
    title: texts.gallery.problems,
    main: html`<h1>${texts.gallery.title}</h1>
${filterForm(phrasing, form)}
<p><a href="/animals">${texts.common.toGallery}</a></p>`,
  })
  return sendRefusal(reply, context.config, 400, body)
}
