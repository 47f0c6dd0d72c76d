import { type ApiError, isRefusal } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { type Html, html } from '../../../http/html.ts'
import { createStaticFile, sendStaticFile } from '../../../http/static-file.ts'
import type { Organization } from '../../../organizations/schema.ts'
import { EMBED_SCRIPT, JS } from '../assets.ts'
import { allowPhotos, pageHeaders, renderPage } from '../page.ts'
import { type Gallery, listAnimals, shelterPath } from './animals.ts'
import { cardList, namesFor } from './cards.ts'
import { idOfKind } from './filters.ts'
import type { Phrasing } from './phrases.ts'
import { newPage, phrasingFor, sendGallery, sendRefusal } from './send.ts'
import { queryOf, shelterOf } from './shelter-page.ts'

const [DEFAULT_LIMIT, MAX_LIMIT] = [12, 48]

/** Lets pages of any site load the response, even if they require cross-origin isolation. */
const CROSS_ORIGIN = { 'cross-origin-resource-policy': 'cross-origin' }

const PARAMETERS = ['organization', 'kind', 'limit', 'cursor'] as const
type EmbedQuery = Partial<Record<(typeof PARAMETERS)[number], string | string[]>>

/**
 * Adds the embeddable page with a shelter's animals. The shelter's own website shows it in a frame. Also adds
 * the script that inserts the frame.
 */
export function embedRoutes(app: App, gallery: Gallery): void {
  const { context } = gallery
  const { config } = context
  const headers = {
    ...pageHeaders(config, { framed: true }),
    ...CROSS_ORIGIN,
    // Allows photos from a bucket that sends no cross-origin resource policy.
    'cross-origin-embedder-policy': 'credentialless',
  }
  const options = { config: { parameters: PARAMETERS } }
  app.get<{ Querystring: EmbedQuery }>('/embed', options, async (request, reply) => {
    try {
      return await sendGallery(request, reply, context, async (phrasing) => {
        const { body, animals, isVolatile } = await embedPage(gallery, phrasing, request.query)
        const allowed = allowPhotos(headers, animals)
        return newPage(body, { headers: allowed, isVolatile, now: phrasing.now })
      })
    } catch (error) {
      if (!isRefusal(error)) throw error
      return sendRefusal(reply, config, error.status, refusal(phrasingFor(request, context), error), headers)
    }
  })

  const file = createStaticFile(JS, EMBED_SCRIPT)
  app.get('/embed.js', { config: { open: true } }, (request, reply) => {
    reply.headers({ ...CROSS_ORIGIN, 'access-control-allow-origin': '*' })
    return sendStaticFile(request, reply, file, 'public, max-age=3600')
  })
}

async function embedPage(gallery: Gallery, phrasing: Phrasing, parameters: EmbedQuery) {
  const [code, kind, limit, cursor] = PARAMETERS.map((name) => [parameters[name] ?? []].flat()[0])
  const shelter = await shelterOf(gallery, code ?? '')
  const query = queryOf(shelter, limitOf(limit))
  if (kind) query.categoryId = [await idOfKind(gallery, kind)]
  const { animals, next, isVolatile } = await listAnimals(gallery, query, cursor)
  const names = await namesFor(gallery, animals)
  const own = new URLSearchParams({
    organization: shelter.code,
    ...(kind && { kind }),
    ...(limit && { limit }),
  })
  const more = next && new URLSearchParams([...own, ['cursor', next]])
  const { gallery: texts } = phrasing.texts
  const title = texts.embedTitle(shelter.name)
  const body = frame(
    phrasing,
    title,
    html`<h1 class="visually-hidden">${title}</h1>
${
  animals.length > 0
    ? cardList(phrasing, animals, names, { framed: true, oneShelter: true, compact: true })
    : html`<p>${texts.noAnimals}. ${texts.noAnimalsAdvice}</p>`
}
<nav class="pages" aria-label="${texts.pages}">${cursor !== undefined && html`<a class="button plain" href="/embed?${own.toString()}">${texts.first}</a>`}${
      more && html`<a class="button plain" rel="next" href="/embed?${more.toString()}">${texts.next}</a>`
    }${allLink(phrasing, shelter)}</nav>`,
  )
  return { body, animals, isVolatile }
}

function limitOf(text: string | undefined): number {
  const limit = Number(text)
  return Number.isInteger(limit) && limit > 0 && limit <= MAX_LIMIT ? limit : DEFAULT_LIMIT
}

function allLink({ texts: { gallery } }: Phrasing, { code }: Organization): Html {
  return html`<a href="${shelterPath(code)}" target="_blank" rel="noopener">${gallery.embedAll}</a>`
}

function frame({ language }: Phrasing, title: string, main: Html): string {
  return renderPage({
    ...{ language, title, main },
    style: 'gallery.css',
    scripts: ['frame.js'],
    // Search engines should index the shelter's website instead of the frame.
    head: html`<meta name="robots" content="noindex">`,
    header: undefined,
  })
}

function refusal(phrasing: Phrasing, { status }: ApiError): string {
  const { common, gallery } = phrasing.texts
  const title = common.errorTitles[status] ?? common.errorTitles[400] ?? ''
  return frame(
    phrasing,
    title,
    html`<h1>${title}</h1><p>${status === 404 && gallery.embedUnknown}</p>
<p><a href="/animals" target="_blank" rel="noopener">${common.toGallery}</a></p>`,
  )
}
