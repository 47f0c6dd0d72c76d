import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { publicOrigin } from '../../../http/link.ts'
import * as shelters from '../../../organizations/all.ts'
import * as listed from '../../../pets/listed.ts'
import { pickedOf } from '../../../pets/row.ts'
import { kindWords } from '../kind-words.ts'
import { animalPath, type Gallery, LISTED, listPicked, shelterPath } from './animals.ts'
import { beginning, jpegOf } from './frame.ts'
import { scaled } from './page-parts.ts'
import { type Animal, breedWords, type Phrasing, placeWords } from './phrases.ts'
import { newPage, sendGallery } from './send.ts'

const MAX_ENTRIES = 50

const ENTRY = pickedOf(
  'id,name,status,categoryId,organizationId,species,breed,place,photos,description,publishedAt,createdAt,updatedAt',
)

/** The animals that became available last (RFC 4287), for feed readers and other sites. */
export function feedRoute(app: App, gallery: Gallery): void {
  const { context } = gallery
  app.get('/animals.atom', (request, reply) =>
    sendGallery(request, reply, context, async (phrasing) => {
      const query = { status: ['available' as const], limit: MAX_ENTRIES, sort: '-id' as const, within: 100 }
      const { animals, passing } = await listPicked(gallery, query, ENTRY)
      const kinds = await gallery.kinds()
      const kindOf = ({ categoryId }: Animal): string =>
        kindWords(phrasing.texts, kinds.get(categoryId)?.name ?? '')
      const body = renderFeed(phrasing, animals, kindOf, publicOrigin(context.config, request))
      return newPage(body, { type: 'application/atom+xml; charset=utf-8', passing })
    }),
  )
}

type Dated = Animal & { createdAt?: string }

function renderFeed(
  phrasing: Phrasing,
  animals: Dated[],
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

function entry({ texts }: Phrasing, animal: Dated, kind: string, origin: string): Html {
  const { id, name, description, photos, publishedAt, createdAt, updatedAt } = animal
  const url = origin + animalPath(animal)
  const words = texts.gallery.description(name, breedWords(texts, animal, kind), placeWords(animal.place))
  const told = description === undefined ? words : `${words} ${beginning(description)}`
  return html`<entry>
<id>${origin}/animals/${id}</id>
<title>${name}</title>
<link href="${url}"/>
<published>${publishedAt ?? createdAt ?? EPOCH}</published>
<updated>${updatedAt ?? EPOCH}</updated>
<category term="${kind}"/>
<content type="html">${shownText(animal, photos, told, origin)}</content>
</entry>
`
}

/** HTML as the text of an element: it is escaped once more. */
function shownText({ name }: Animal, photos: Animal['photos'], told: string, origin: string): Part {
  const [photo] = photos ?? []
  const { width, height } = photo ? scaled(photo, 1_200) : { width: 0, height: 0 }
  return html`${
    photo &&
    html`<p><img src="${jpegOf(photo, origin)}" alt="${photo.alt ?? name}" width="${width}" height="${height}"></p>`
  }<p>${told}</p>`.text
}

/** A document, without the signs that XML 1.0 cannot hold. */
export function xml(content: Html): string {
  const text = content.text.replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '')
  return `<?xml version="1.0" encoding="utf-8"?>\n${text}`
}

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
