import type { App } from '../../../http/app.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { publicOrigin } from '../../../http/link.ts'
import { pickedOf } from '../../../pets/row.ts'
import { kindWords } from '../kind-words.ts'
import { animalPath } from './addresses.ts'
import type { Animal } from './animal.ts'
import { type Gallery, listPicked } from './animals.ts'
import { scaled } from './cards.ts'
import { breedWords, type Phrasing, placeWords } from './phrases.ts'
import { newPage, sendGallery } from './send.ts'
import { beginning, jpegOf } from './sharing.ts'

const MOST_ENTRIES = 50

const ENTRY = pickedOf(
  'id,name,status,categoryId,organizationId,species,breed,place,photos,description,publishedAt,createdAt,updatedAt',
)

/** The animals that became available last (RFC 4287), for feed readers and other sites. */
export function feedRoute(app: App, gallery: Gallery): void {
  const { context } = gallery
  app.get('/animals.atom', (request, reply) =>
    sendGallery(request, reply, context, async (phrasing) => {
      const query = { status: ['available' as const], limit: MOST_ENTRIES, sort: '-id' as const, within: 100 }
      const { animals, passing } = await listPicked(gallery, query, undefined, ENTRY)
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
