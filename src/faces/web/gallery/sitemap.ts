import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { type Html, html } from '../../../http/html.ts'
import { publicOrigin } from '../../../http/link.ts'
import * as shelters from '../../../organizations/all.ts'
import * as listed from '../../../pets/listed.ts'
import { animalPath, shelterPath } from './addresses.ts'
import { LISTED } from './animals.ts'
import { xml } from './feed.ts'
import { newPage, sendGallery } from './send.ts'

/** So many ids one part has at most; a search engine takes 50,000 addresses. */
const PER_PART = 10_000

const XML = 'application/xml; charset=utf-8'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** What tells search engines which pages there are, and which are nobody's to index. */
export function sitemapRoutes(app: App, context: Context): void {
  const { config, db } = context
  app.get('/sitemap.xml', (request, reply) =>
    sendGallery(request, reply, context, async () => {
      const origin = publicOrigin(config, request)
      const parts = [
        ...(await listed.ranges(db, LISTED, PER_PART)).map((number) => `animals-${number}`),
        ...(await shelters.ranges(db, PER_PART)).map((number) => `organizations-${number}`),
      ]
      const items = parts.map((part) => html`<sitemap><loc>${origin}/sitemap/${part}.xml</loc></sitemap>\n`)
      return newPage(xml(html`<sitemapindex xmlns="${NAMESPACE}">\n${items}</sitemapindex>\n`), { type: XML })
    }),
  )

  app.get<{ Params: { file: string } }>('/sitemap/:file', (request, reply) =>
    sendGallery(request, reply, context, async () => {
      const [, of, digits] =
        /^(animals|organizations)-(0|[1-9]\d{0,11})\.xml$/.exec(request.params.file) ?? []
      const pages = digits === undefined ? [] : await pagesIn(context, of === 'animals', Number(digits))
      if (pages.length === 0) throw new ApiError('route_not_found')
      const origin = publicOrigin(config, request)
      const items = pages.map(
        ({ path, updatedAt }): Html =>
          html`<url><loc>${origin}${path}</loc><lastmod>${new Date(updatedAt).toISOString()}</lastmod></url>\n`,
      )
      return newPage(xml(html`<urlset xmlns="${NAMESPACE}">\n${items}</urlset>\n`), { type: XML })
    }),
  )

  app.get('/robots.txt', (request, reply) =>
    sendGallery(request, reply, context, async () => {
      const lines = [
        'User-agent: *',
        'Disallow: /console',
        'Disallow: /applications',
        'Disallow: /animals/*/apply',
        'Disallow: /embed',
        'Disallow: /language/',
        '',
        `Sitemap: ${publicOrigin(config, request)}/sitemap.xml`,
      ]
      return newPage(`${lines.join('\n')}\n`, { type: 'text/plain; charset=utf-8' })
    }),
  )
}

interface Listed {
  path: string
  updatedAt: number
}

/** The pages of one range of ids. */
async function pagesIn({ db }: Context, ofAnimals: boolean, number: number): Promise<Listed[]> {
  const [from, to] = [number * PER_PART + 1, (number + 1) * PER_PART]
  if (ofAnimals) {
    const animals = await listed.between(db, LISTED, from, to)
    return animals.map(({ id, name, updatedAt }) => ({ path: animalPath({ id, name }), updatedAt }))
  }
  const found = await shelters.between(db, from, to)
  return found.map(({ code, updatedAt }) => ({ path: shelterPath(code), updatedAt }))
}
