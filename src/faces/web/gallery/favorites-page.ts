import type { App } from '../../../http/app.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { parseInt64 } from '../../../http/int64.ts'
import { isListed } from '../../../pets/rules.ts'
import { assetPath } from '../assets.ts'
import { categoryLabel } from '../formats.ts'
import { allowPhotos, pageHeaders } from '../page.ts'
import { animalPath, findAnimal, type Gallery } from './animals.ts'
import { type CardNames, cardList, type Fact, factsOf, isKnown, namesFor } from './cards.ts'
import { galleryPage } from './frame.ts'
import { type Animal, type Phrasing, placeWords } from './phrases.ts'
import { newPage, sendGallery } from './send.ts'

/** The script favorites.js keeps no more than this. */
const MAX_FAVORITES = 24
const MAX_COMPARED = 4

type ByIds = { Querystring: { id?: string | string[] } }

/**
 * The page of a visitor's favorites, and the page that compares some of them. The visitor's browser keeps the
 * favorites, and names them in the address.
 */
export function favoritesRoutes(app: App, gallery: Gallery): void {
  const { context } = gallery
  const headers = { ...pageHeaders(context.config), 'x-robots-tag': 'noindex' }
  const options = { config: { parameters: ['id'] } }
  app.get<ByIds>('/favorites', options, (request, reply) =>
    sendGallery(request, reply, context, async (phrasing) => {
      const ids = idsIn(request.query, MAX_FAVORITES)
      const animals = await findListed(gallery, ids)
      const gone = ids.filter((id) => !animals.some((animal) => animal.id === id))
      const names = await namesFor(gallery, animals)
      const body = favoritesPage(phrasing, animals, names, gone)
      return newPage(body, { headers: allowPhotos(headers, animals), now: phrasing.now })
    }),
  )
  app.get<ByIds>('/compare', options, (request, reply) =>
    sendGallery(request, reply, context, async (phrasing) => {
      const ids = idsIn(request.query, MAX_COMPARED)
      const animals = await findListed(gallery, ids)
      const body = comparePage(phrasing, animals, await namesFor(gallery, animals))
      return newPage(body, { headers: allowPhotos(headers, animals), now: phrasing.now })
    }),
  )
}

async function findListed(gallery: Gallery, ids: number[]): Promise<Animal[]> {
  const found = await Promise.all(ids.map((id) => findAnimal(gallery, id)))
  return found.flatMap((animal) => (animal && isListed(animal) ? [animal] : []))
}

/** The different ids in an address, up to a maximum. */
function idsIn({ id = [] }: ByIds['Querystring'], max: number): number[] {
  const ids = [id]
    .flat()
    .slice(0, 2 * MAX_FAVORITES)
    .map((text) => parseInt64(text))
  return [...new Set(ids.filter((one) => one !== undefined))].slice(0, max)
}

function favoritesPage(phrasing: Phrasing, animals: Animal[], names: CardNames, gone: number[]): string {
  const { texts, language } = phrasing
  const { gallery, common } = texts
  return galleryPage({
    ...{ language, path: '/favorites', title: gallery.favorites },
    main: html`<h1>${gallery.favorites}</h1>
<p class="lead">${animals.length + gone.length > 0 ? gallery.favoritesText : gallery.noFavorites}</p>
${
  gone.length > 0 &&
  html`<p class="notice">${gallery.favoritesGone(gone.length)} <button class="plain scripted" type="button" data-gone="${gone.join(' ')}">${gallery.removeGone}</button></p>`
}
${animals.length > 0 && cardList(phrasing, animals, names)}
${animals.length > 1 && compareForm(phrasing, animals)}
<p><a href="/animals">${common.toGallery}</a></p>`,
  })
}

/** Chooses the animals to compare. The first of them are chosen already. */
function compareForm({ texts: { gallery } }: Phrasing, animals: Animal[]): Html {
  const choices = animals.map(
    ({ id, name }, index) =>
      html`<label class="choice"><input type="checkbox" name="id" value="${id}"${index < MAX_COMPARED && html` checked`}><span dir="auto">${name}</span></label>`,
  )
  return html`<form class="panel compare-form" action="/compare"><fieldset class="checks"><legend>${gallery.compareUpTo(MAX_COMPARED)}</legend>${choices}</fieldset>
<button>${gallery.compare}</button></form>`
}

function comparePage(phrasing: Phrasing, animals: Animal[], names: CardNames): string {
  const { texts, language } = phrasing
  const { gallery } = texts
  return galleryPage({
    ...{ language, path: '/compare', title: gallery.compareTitle },
    main: html`<h1>${gallery.compareTitle}</h1>
${animals.length === 0 ? html`<p>${gallery.noFavorites}</p>` : compareTable(phrasing, animals, names)}
<p><a href="/animals">${texts.common.toGallery}</a></p>`,
  })
}

function compareTable(phrasing: Phrasing, animals: Animal[], { kinds, shelters }: CardNames): Html {
  const { texts, language } = phrasing
  const { gallery } = texts
  const columns = animals.map((animal) => {
    const shelter = shelters.get(animal.organizationId ?? -1)
    const facts = factsOf(
      phrasing,
      animal,
      categoryLabel(texts, kinds.get(animal.categoryId)?.name ?? ''),
      shelter,
    )
    const place = placeWords(language, animal.place) || placeWords(language, shelter?.address)
    return [...facts, [gallery.place, place], [gallery.shelter, shelter?.name]] satisfies Fact[]
  })
  const [first = []] = columns
  const rows = first.map(([label], row): Part => {
    const cells = columns.map((facts) => facts[row] as Fact)
    if (!cells.some(isKnown)) return undefined
    return html`<tr><th scope="row">${label}</th>${cells.map((cell) => html`<td dir="auto">${isKnown(cell) ? cell[1] : '–'}</td>`)}</tr>`
  })
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${gallery.compareTitle}"><table class="compare${animals.length > 2 && ' wide'}"><colgroup><col>${animals.map(() => html`<col>`)}</colgroup><thead><tr><td></td>${animals.map(
    (animal) =>
      html`<th scope="col">${photo(animal)}<a href="${animalPath(animal)}" dir="auto">${animal.name}</a></th>`,
  )}</tr></thead><tbody>${rows}</tbody></table></div>`
}

function photo({ photos = [] }: Animal): Html {
  return html`<img src="${photos[0]?.sizes.small ?? assetPath('no-photo.svg')}" alt="" width="160" height="160">`
}
