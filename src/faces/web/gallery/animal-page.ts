import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { html } from '../../../http/html.ts'
import { publicOrigin } from '../../../http/link.ts'
import type { Organization } from '../../../organizations/schema.ts'
import * as organizations from '../../../organizations/store.ts'
import * as pets from '../../../pets/store.ts'
import { kindWords } from '../kind-words.ts'
import { pageHeaders } from '../page.ts'
import { animalPath, idOfSlug, shelterPath } from './addresses.ts'
import type { Animal } from './animal.ts'
import { type AnimalParts, animalMain } from './animal-view.ts'
import { findAnimal, type Gallery } from './animals.ts'
import { galleryPage } from './frame.ts'
import { breedWords, type Phrasing, placeWords, wholeUnits } from './phrases.ts'
import { newPage, phrasingFor, requirePath, sendGallery, sendRefusal } from './send.ts'
import { beginning, sharedHead } from './sharing.ts'
import { shelterData } from './shelter-box.ts'

/** So long is somebody who has found a home still shown, to those who have its address. */
const SHOWN_MS = 30 * 86_400_000

/** The animal has had a home for long. */
class LongAdopted extends Error {}

export function animalRoute(app: App, gallery: Gallery): void {
  const { context } = gallery
  const { config } = context
  const headers = pageHeaders(config)
  app.get<{ Params: { slug: string } }>('/animals/:slug', async (request, reply) => {
    const id = idOfSlug(request.params.slug)
    if (id === undefined) throw new ApiError('pet_not_found')
    try {
      return await sendGallery(request, reply, context, async (phrasing) => {
        const animal = await findAnimal(gallery, id)
        if (!animal) throw new ApiError('pet_not_found')
        if (isOver(animal, phrasing.now)) throw new LongAdopted()
        const own = animalPath(animal)
        requirePath(request, own)
        const body = await animalPage(gallery, phrasing, animal, publicOrigin(config, request))
        return newPage(body, { headers, now: phrasing.now })
      })
    } catch (error) {
      if (error instanceof LongAdopted)
        return sendRefusal(reply, config, 410, adoptedPage(phrasingFor(request, context)))
      throw error
    }
  })
}

function isOver({ status, statusChangedAt, updatedAt }: Animal, now: number): boolean {
  const since = statusChangedAt ?? updatedAt
  return status === 'sold' && (since === undefined || now >= Date.parse(since) + SHOWN_MS)
}

async function animalPage(
  gallery: Gallery,
  phrasing: Phrasing,
  animal: Animal,
  origin: string,
): Promise<string> {
  const parts = await partsOf(gallery, phrasing, animal)
  const { texts, language } = phrasing
  const { name, status, description, photos } = animal
  const place = placeWords(animal.place) || placeWords(parts.shelter?.address)
  const words =
    status === 'sold'
      ? texts.gallery.adoptedDescription(name)
      : texts.gallery.description(name, breedWords(texts, animal, parts.kind), place)
  const told = beginning(description === undefined ? words : `${words} ${description}`)
  const path = animalPath(animal)
  const url = origin + path
  return galleryPage({
    ...{ language, path, title: `${name} · adoptable`, description: told, scripts: ['gallery.js'] },
    head: sharedHead({
      ...{ phrasing, url, origin, title: name, description: told, photo: photos?.[0] },
      data: offerData(animal, parts.shelter, url, origin),
    }),
    main: animalMain(phrasing, parts),
  })
}

async function partsOf(gallery: Gallery, phrasing: Phrasing, animal: Animal): Promise<AnimalParts> {
  const { context, show } = gallery
  const { organizationId, categoryId, bondedWith = [] } = animal
  const [kinds, stored, friends] = await Promise.all([
    gallery.kinds(),
    organizationId === undefined ? undefined : organizations.find(context.db, organizationId),
    pets.findNames(context.db, bondedWith),
  ])
  return {
    animal,
    kind: kindWords(phrasing.texts, kinds.get(categoryId)?.name ?? ''),
    shelter: stored && organizations.toShown(stored, show.photosAt),
    friends: friends.filter((friend) => friend.status !== null),
  }
}

const AVAILABILITY = { available: 'InStock', pending: 'LimitedAvailability', sold: 'SoldOut' }

/** As schema.org has it, which knows no animals: an offer of a shelter. */
function offerData(
  { name, status = 'sold', fee }: Animal,
  shelter: Organization | undefined,
  url: string,
  origin: string,
): object[] {
  const home = shelter && `${origin}${shelterPath(shelter.code)}`
  const offer = {
    ...{ '@type': 'Offer', '@id': `${url}#offer`, url, name, category: 'adoption' },
    availability: `https://schema.org/${AVAILABILITY[status]}`,
    ...(fee && { price: wholeUnits(fee), priceCurrency: fee.currency }),
    ...(home && { offeredBy: { '@id': `${home}#shelter` } }),
  }
  return shelter && home ? [offer, shelterData(shelter, home)] : [offer]
}

/** Nothing of the animal any more, its name neither. */
function adoptedPage({ language, texts }: Phrasing): string {
  const { gallery, common } = texts
  return galleryPage({
    ...{ language, path: '', title: gallery.longAdopted },
    main: html`<h1>${gallery.longAdopted}</h1><p>${gallery.adoptedAdvice}</p>
<p><a class="button" href="/animals">${common.toGallery}</a></p>`,
  })
}
