import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { publicOrigin } from '../../../http/face.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import * as shelters from '../../../organizations/list.ts'
import * as petLists from '../../../pets/list.ts'
import { parseFields } from '../../../pets/row.ts'
import { LISTED_STATUSES } from '../../../pets/rules.ts'
import { categoryLabel } from '../formats.ts'
import { animalPath, findPage, type Gallery, shelterPath } from './animals.ts'
import { excerpt, jpegOf } from './frame.ts'
import { scaled } from './page-parts.ts'
import { type Animal, breedWords, type Phrasing, placeWords } from './phrases.ts'
import { newPage, sendGallery } from './send.ts'

const MAX_ENTRIES = 50

const ENTRY = parseFields(
  'id,name,status,categoryId,organizationId,species,breed,place,photos,description,publishedAt,createdAt,updatedAt',
)

/** Adds the Atom feed (RFC 4287) of the newest available animals. */
export function feedRoute(app: App, gallery: Gallery): void {
  const { context } = gallery
  app.get('/animals.atom', (request, reply) =>
    sendGallery(request, reply, context, async (phrasing) => {
      const query = { status: ['available' as const], limit: MAX_ENTRIES, sort: '-id' as const, within: 100 }
      const { animals, isVolatile } = await findPage(gallery, query, ENTRY)
      const kinds = await gallery.kinds()
      const kindOf = ({ categoryId }: Animal): string =>
        categoryLabel(phrasing.texts, kinds.get(categoryId)?.name ?? '')
      const body = renderFeed(phrasing, animals, kindOf, publicOrigin(context.config, request))
      return newPage(body, { type: 'application/atom+xml; charset=utf-8', isVolatile })
    }),
  )
}

type FeedAnimal = Animal & { createdAt?: string }

function renderFeed(
  phrasing: Phrasing,
  animals: FeedAnimal[],
  kindOf: (animal: Animal) => string,
  origin: string,
): string {
  const { texts, language } = phrasing
  const entries = animals.map((animal) => entry(phrasing, animal, kindOf(animal), origin))
  const updated =
    animals
      .map(({ updatedAt = EPOCH }) => updatedAt)
      .sort()
      .at(-1) ?? EPOCH
  return xml(html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${origin}/animals.atom</id>
<title>${texts.gallery.feed}</title>
<updated>${updated}</updated>
<author><name>adoptable</name></author>
<link rel="self" href="${origin}/animals.atom"/>
<link rel="alternate" type="text/html" href="${origin}/animals"/>
${entries}</feed>
`)
}

const EPOCH = '1970-01-01T00:00:00.000Z'

function entry({ texts, language }: Phrasing, animal: FeedAnimal, kind: string, origin: string): Html {
  const { id, name, description, photos, publishedAt, createdAt, updatedAt } = animal
  const url = origin + animalPath(animal)
  const words = texts.gallery.description(
    name,
    breedWords(texts, animal, kind),
    placeWords(language, animal.place),
  )
  const text = description === undefined ? words : `${words} ${excerpt(description)}`
  return html`<entry>
<id>${origin}/animals/${id}</id>
<title>${name}</title>
<link href="${url}"/>
<published>${publishedAt ?? createdAt ?? EPOCH}</published>
<updated>${updatedAt ?? EPOCH}</updated>
<category term="${kind}"/>
<content type="html">${contentHtml(animal, photos, text, origin)}</content>
</entry>
`
}

/** The content of an entry. The HTML is escaped, because an XML element contains it as text. */
function contentHtml({ name }: Animal, photos: Animal['photos'], text: string, origin: string): Part {
  const [photo] = photos ?? []
  const { width, height } = photo ? scaled(photo, 1_200) : { width: 0, height: 0 }
  return html`${
    photo &&
    html`<p><img src="${jpegOf(photo, origin)}" alt="${photo.alt ?? name}" width="${width}" height="${height}"></p>`
  }<p>${text}</p>`.text
}

/** An XML 1.0 document. Characters that XML does not allow are removed. */
export function xml(content: Html): string {
  const text = content.text.replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '')
  return `<?xml version="1.0" encoding="utf-8"?>\n${text}`
}

/**
 * Maximum number of ids per part of the sitemap. Rendering a part takes a few milliseconds. A sitemap may
 * have 50,000 parts.
 */
const IDS_PER_PART = 1_000

const XML = 'application/xml; charset=utf-8'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** Adds the sitemap and robots.txt. */
export function sitemapRoutes(app: App, context: Context): void {
  const { config, db } = context
  app.get('/sitemap.xml', (request, reply) =>
    sendGallery(request, reply, context, async () => {
      const origin = publicOrigin(config, request)
      const parts = [
        ...(await petLists.listIdRanges(db, LISTED_STATUSES, IDS_PER_PART)).map(
          (number) => `animals-${number}`,
        ),
        ...(await shelters.listIdRanges(db, IDS_PER_PART)).map((number) => `organizations-${number}`),
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
        'Disallow: /compare',
        'Disallow: /embed',
        'Disallow: /favorites',
        'Disallow: /language/',
        '',
        `Sitemap: ${publicOrigin(config, request)}/sitemap.xml`,
      ]
      return newPage(`${lines.join('\n')}\n`, { type: 'text/plain; charset=utf-8' })
    }),
  )
}

interface SitemapEntry {
  path: string
  updatedAt: number
}

/** The pages in one part of the sitemap. Each part covers a range of ids. */
async function pagesIn({ db }: Context, ofAnimals: boolean, number: number): Promise<SitemapEntry[]> {
  const [from, to] = [number * IDS_PER_PART + 1, (number + 1) * IDS_PER_PART]
  if (ofAnimals) {
    const animals = await petLists.listBetween(db, LISTED_STATUSES, from, to)
    return animals.map(({ id, name, updatedAt }) => ({ path: animalPath({ id, name }), updatedAt }))
  }
  const found = await shelters.listBetween(db, from, to)
  return found.map(({ code, updatedAt }) => ({ path: shelterPath(code), updatedAt }))
}
