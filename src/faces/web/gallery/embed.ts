import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { hold, sendHeld } from '../../../http/held.ts'
import { type Html, html } from '../../../http/html.ts'
import type { Organization } from '../../../organizations/schema.ts'
import { EMBED, JS } from '../assets.ts'
import { pageHeaders, renderPage } from '../page.ts'
import { type Gallery, listAnimals, shelterPath } from './animals.ts'
import { cardList, namesFor } from './cards.ts'
import { idOfKind } from './filters.ts'
import type { Phrasing } from './phrases.ts'
import { newPage, phrasingFor, sendGallery, sendRefusal } from './send.ts'
import { queryOf, shelterOf } from './shelter-page.ts'

const [DEFAULT_LIMIT, MAX_LIMIT] = [12, 48]

/** Of what pages of every site load and show: also of those that keep strangers out of their process. */
const FOR_ALL = { 'cross-origin-resource-policy': 'cross-origin' }

type EmbedQuery = Partial<Record<'organization' | 'kind' | 'limit' | 'cursor', string | string[]>>

/** The animals of a shelter inside its own pages, wherever those are. */
export function embedRoutes(app: App, gallery: Gallery): void {
  const { context } = gallery
  const { config } = context
  const headers = {
    ...pageHeaders(config, { framed: true }),
    ...FOR_ALL,
    // A bucket with photos may not say that everybody may have them.
    'cross-origin-embedder-policy': 'credentialless',
  }
  app.get<{ Querystring: EmbedQuery }>('/embed', async (request, reply) => {
    try {
      return await sendGallery(request, reply, context, async (phrasing) => {
        const { body, passing } = await embedPage(gallery, phrasing, request.query)
        return newPage(body, { headers, passing, now: phrasing.now })
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return sendRefusal(reply, config, error.status, refusal(phrasingFor(request, context), error), headers)
    }
  })

  const file = hold(JS, EMBED)
  app.get('/embed.js', { config: { open: true } }, (request, reply) => {
    reply.headers({ ...FOR_ALL, 'access-control-allow-origin': '*' })
    return sendHeld(request, reply, file, 'public, max-age=3600')
  })
}

async function embedPage(gallery: Gallery, phrasing: Phrasing, asked: EmbedQuery) {
  const [code, kind, limit, cursor] = (['organization', 'kind', 'limit', 'cursor'] as const).map(
    (name) => [asked[name] ?? []].flat()[0],
  )
  const shelter = await shelterOf(gallery, code ?? '')
  const query = queryOf(shelter, limitOf(limit))
  if (kind) query.categoryId = [await idOfKind(gallery.kinds, kind)]
  const { animals, next, passing } = await listAnimals(gallery, query, cursor)
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
    ? cardList(phrasing, animals, names, { framed: true, ofOne: true, compact: true })
    : html`<p>${texts.noAnimals}. ${texts.noAnimalsAdvice}</p>`
}
<nav class="pages" aria-label="${texts.pages}">${cursor !== undefined && html`<a class="button plain" href="/embed?${own.toString()}">${texts.first}</a>`}${
      more && html`<a class="button plain" rel="next" href="/embed?${more.toString()}">${texts.next}</a>`
    }${allLink(phrasing, shelter)}</nav>`,
  )
  return { body, passing }
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
    // It is a part of another page, which search engines know already.
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
