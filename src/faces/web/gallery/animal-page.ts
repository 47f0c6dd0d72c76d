import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { publicOrigin } from '../../../http/face.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import type { Organization } from '../../../organizations/schema.ts'
import * as organizations from '../../../organizations/store.ts'
import { LISTED_STATUSES } from '../../../pets/rules.ts'
import type { PetQuery } from '../../../pets/schema.ts'
import * as pets from '../../../pets/store.ts'
import { categoryLabel, mailTextAddress } from '../formats.ts'
import { allowPhotos, pageHeaders } from '../page.ts'
import type { Texts } from '../texts/texts.ts'
import {
  animalPath,
  findAnimal,
  type Gallery,
  idOfSlug,
  type Listing,
  listAnimals,
  shelterPath,
} from './animals.ts'
import { type CardNames, cardList, factList, namesFor } from './cards.ts'
import { excerpt, galleryPage, sharedHead } from './frame.ts'
import {
  contactFacts,
  copiedFrom,
  hostOf,
  outwardLink,
  paragraphs,
  photoStrip,
  shelterData,
  shelterFacts,
} from './page-parts.ts'
import {
  type Animal,
  ageWords,
  breedWords,
  type Phrasing,
  placeWords,
  sexWords,
  wholeUnits,
} from './phrases.ts'
import { newPage, phrasingFor, requirePath, sendGallery, sendRefusal } from './send.ts'

/** The page of an adopted animal stays available for this time. */
const SHOWN_AFTER_ADOPTION_MS = 30 * 86_400_000

/** The animal's page is gone, because the adoption was too long ago. */
class AdoptedLongAgo extends Error {}

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
        if (isOver(animal, phrasing.now)) throw new AdoptedLongAgo()
        const own = animalPath(animal)
        requirePath(request, own)
        const others = animal.status === 'sold' ? await listOthers(gallery, animal) : undefined
        const body = await animalPage(gallery, phrasing, animal, publicOrigin(config, request), others)
        const { isVolatile = false } = others ?? {}
        const allowed = allowPhotos(headers, [animal, ...(others?.animals ?? [])])
        return newPage(body, { headers: allowed, now: phrasing.now, isVolatile })
      })
    } catch (error) {
      if (error instanceof AdoptedLongAgo)
        return sendRefusal(reply, config, 410, adoptedPage(phrasingFor(request, context)))
      throw error
    }
  })
}

function isOver({ status, statusChangedAt, updatedAt }: Animal, now: number): boolean {
  const since = statusChangedAt ?? updatedAt
  return status === 'sold' && (since === undefined || now >= Date.parse(since) + SHOWN_AFTER_ADOPTION_MS)
}

async function animalPage(
  gallery: Gallery,
  phrasing: Phrasing,
  animal: Animal,
  origin: string,
  others: Listing | undefined,
): Promise<string> {
  const parts = await partsOf(gallery, phrasing, animal)
  const { texts, language } = phrasing
  const { name, status, description, photos } = animal
  const place = placeWords(language, animal.place) || placeWords(language, parts.shelter?.address)
  const words =
    status === 'sold'
      ? texts.gallery.adoptedDescription(name)
      : texts.gallery.description(name, breedWords(texts, animal, parts.kind), place)
  const title = `${status === 'sold' ? texts.gallery.isAdopted(name) : texts.gallery.adoptTitle(name)} · adoptable`
  const previewText = excerpt(description === undefined ? words : `${words} ${description}`)
  const path = animalPath(animal)
  const url = origin + path
  return galleryPage({
    ...{ language, path, title, description: previewText, scripts: ['gallery.js'] },
    head: sharedHead({
      ...{ phrasing, url, origin, title: name, description: previewText, photo: photos?.[0] },
      data: offerData(animal, parts.shelter, url, origin),
    }),
    main: html`${animalMain(phrasing, parts, url)}${others && (await othersSection(gallery, phrasing, others))}`,
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
    kind: categoryLabel(phrasing.texts, kinds.get(categoryId)?.name ?? ''),
    shelter: stored && organizations.toView(stored, show.photosBase),
    friends: friends.filter((friend) => friend.status !== null),
  }
}

const AVAILABILITY = { available: 'InStock', pending: 'LimitedAvailability', sold: 'SoldOut' }

/**
 * The animal as schema.org JSON-LD. schema.org has no type for animals, so the data describes an offer of the
 * shelter.
 */
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

/** The page for an animal that was adopted long ago. The page contains no data of the animal. */
function adoptedPage({ language, texts }: Phrasing): string {
  const { gallery, common } = texts
  return galleryPage({
    ...{ language, path: '', title: gallery.longAdopted },
    main: html`<h1>${gallery.longAdopted}</h1><p>${texts.apply.notAvailableAdvice}</p>
<p><a class="button" href="/animals">${common.toGallery}</a></p>`,
  })
}

interface AnimalParts {
  animal: Animal
  /** Name of the category in the language of the page. */
  kind: string
  shelter: Organization | undefined
  /** Public animals that must be adopted together with this animal. */
  friends: { id: number; name: string }[]
}

/** Other animals looking for a home, below an adopted animal. */
async function othersSection(gallery: Gallery, phrasing: Phrasing, { animals }: Listing): Promise<Part> {
  if (animals.length === 0) return undefined
  const names: CardNames = await namesFor(gallery, animals)
  return html`<section class="others"><h2>${phrasing.texts.gallery.others}</h2>
${cardList(phrasing, animals, names, { level: 3 })}</section>`
}

function animalMain(phrasing: Phrasing, parts: AnimalParts, url: string): Html {
  const { animal, kind, shelter } = parts
  const { language, texts } = phrasing
  const { gallery } = texts
  const { name, status, description, tags, place } = animal
  const placeText = placeWords(language, place) || placeWords(language, shelter?.address)
  const traits = [
    breedWords(phrasing.texts, animal, kind),
    ageWords(phrasing, animal),
    sexWords(phrasing.texts, animal),
  ]
  return html`<p class="back"><a href="/animals">${gallery.back}</a></p>
<article class="animal">
<div class="animal-photos">${photoStrip(phrasing.texts, name, animal.photos)}</div>
<div class="animal-side"><div class="animal-head">
<h1 dir="auto">${name}</h1>
<p class="lead" dir="auto">${traits.filter(Boolean).join(' · ')}</p>
${placeText !== '' && html`<p class="muted" dir="auto">${placeText}</p>`}
${status !== 'available' && html`<p class="notice">${status === 'pending' ? gallery.isReserved(name) : [gallery.isAdopted(name), ' ', html`<a href="/animals">${gallery.adoptedAdvice}</a>`]}</p>`}
${status !== 'sold' && firstStep(phrasing, parts)}
${shareRow(phrasing, animal, url)}
${bonded(phrasing, parts)}
</div>
<section class="animal-facts panel"><h2>${gallery.facts}</h2>
${factList(phrasing, animal, kind, { shelter })}
${copiedFrom(phrasing, animal)}
${tags && html`<ul class="tags" aria-label="${gallery.tags}">${tags.map((tag) => html`<li class="tag" dir="auto">${tag}</li>`)}</ul>`}</section></div>
${
  description !== undefined &&
  html`<section class="animal-text"><h2 dir="auto">${gallery.about(name)}</h2>
${paragraphs(description)}
${videos(phrasing, animal)}</section>`
}
${description === undefined && animal.videos && html`<section class="animal-text">${videos(phrasing, animal)}</section>`}
<section class="animal-adopt">${status !== 'sold' && adoption(phrasing, parts)}${shelterBox(phrasing, parts)}</section>
</article>
${status !== 'sold' && html`<p class="reach">${applyLink(phrasing, parts)}</p>`}`
}

/** A link and buttons to share or keep the page. The script shows the buttons. */
function shareRow({ texts: { gallery } }: Phrasing, { id, name }: Animal, url: string): Html {
  const address = mailTextAddress(gallery.adoptTitle(name), url)
  return html`<p class="share"><a class="button plain" href="${address}">${gallery.shareByEmail}</a>
<button class="plain scripted" type="button" data-favorite="${id}" aria-pressed="false">${gallery.favorite}</button>
<button class="plain scripted" type="button" data-share="${gallery.share}" data-copied="${gallery.linkCopied}">${gallery.copyLink}</button>
<span class="visually-hidden" role="status"></span></p>`
}

function firstStep(phrasing: Phrasing, parts: AnimalParts): Html {
  const isHere = (parts.animal.source ?? parts.shelter?.adoptionUrl) === undefined
  return html`<p class="apply-link">${applyLink(phrasing, parts)}</p>${
    isHere && html`<p class="hint">${phrasing.texts.gallery.applyText}</p>`
  }`
}

/** The link to the application form: of this service, of the animal's source or of the shelter's website. */
function applyLink({ texts: { gallery, common } }: Phrasing, { animal, shelter }: AnimalParts): Html {
  const { source } = animal
  if (source !== undefined) return outwardLink(source, common.applyAt(hostOf(source)), 'button big')
  const elsewhere = shelter?.adoptionUrl
  return elsewhere === undefined
    ? html`<a class="button big" href="/animals/${animal.id}/apply">${gallery.apply(animal.name)}</a>`
    : outwardLink(elsewhere, gallery.applyElsewhere, 'button big')
}

function adoption(phrasing: Phrasing, parts: AnimalParts): Part {
  const { animal, shelter } = parts
  const { gallery } = phrasing.texts
  const policy = shelter?.adoptionPolicy
  return html`<h2 dir="auto">${gallery.howTo(animal.name)}</h2>
${policy !== undefined && policyText(gallery, policy)}
${firstStep(phrasing, parts)}
${animal.contact && html`<h3>${gallery.ask}</h3><dl class="facts">${contactFacts(phrasing, animal.contact)}</dl>`}`
}

/** The adoption policy. A long policy is collapsed. */
function policyText(gallery: Texts['gallery'], policy: string): Html {
  if (policy.length <= SHORT_POLICY) return html`<h3>${gallery.policy}</h3>${paragraphs(policy)}`
  return html`<details class="policy"><summary>${gallery.policy}</summary>${paragraphs(policy)}</details>`
}
const SHORT_POLICY = 800

function shelterBox(phrasing: Phrasing, { shelter }: AnimalParts): Part {
  if (!shelter) return undefined
  const { gallery } = phrasing.texts
  const { name, code } = shelter
  return html`<div class="panel shelter"><h2>${gallery.shelter}</h2>
<p class="shelter-name" dir="auto"><a href="${shelterPath(code)}">${name}</a></p>
<dl class="facts">${shelterFacts(phrasing, shelter)}</dl>
<p><a class="button plain" href="${shelterPath(code)}">${gallery.atShelter(name)}</a></p></div>`
}

function bonded({ texts: { gallery } }: Phrasing, { animal, friends }: AnimalParts): Part {
  if (friends.length === 0) return undefined
  return html`<div class="panel"><h2>${gallery.bonded}</h2><p dir="auto">${gallery.bondedText(animal.name)}</p><ul>${friends.map(
    (friend) => html`<li><a href="${animalPath(friend)}" dir="auto">${friend.name}</a></li>`,
  )}</ul></div>`
}

function videos({ texts: { gallery } }: Phrasing, { videos = [] }: Animal): Part {
  if (videos.length === 0) return undefined
  return html`<h3>${gallery.videos}</h3><ul>${videos.map(
    (address, index) =>
      html`<li>${outwardLink(address, `${gallery.video(index + 1)} (${hostOf(address)})`)}</li>`,
  )}</ul>`
}

const MAX_OTHERS = 4

/**
 * Lists a few other animals looking for a home. Animals of the same type at the same shelter come first, then
 * the nearest animals of the same type, then any animals of the same shelter.
 */
async function listOthers(gallery: Gallery, animal: Animal): Promise<Listing> {
  const found = new Map<number, Animal>()
  let isVolatile = false
  for (const query of await queriesLike(gallery, animal)) {
    if (found.size >= MAX_OTHERS) break
    const listing = await listAnimals(gallery, query, undefined)
    for (const one of listing.animals) found.set(one.id, one)
    isVolatile ||= listing.isVolatile
  }
  return { animals: [...found.values()].slice(0, MAX_OTHERS), isVolatile, next: undefined }
}

async function queriesLike({ context }: Gallery, animal: Animal): Promise<PetQuery[]> {
  const { organizationId, categoryId, place } = animal
  const shelter =
    organizationId === undefined ? undefined : await organizations.find(context.db, organizationId)
  const { latitude, longitude } = place?.latitude === undefined ? (shelter ?? {}) : place
  const common = { status: [...LISTED_STATUSES], limit: MAX_OTHERS, within: 100 }
  const sameKind = { ...common, categoryId: [categoryId] }
  const sameShelter = organizationId !== undefined && {
    organizationId: [organizationId],
    sort: '-id' as const,
  }
  return [
    ...(sameShelter ? [{ ...sameKind, ...sameShelter }] : []),
    latitude === undefined
      ? { ...sameKind, sort: '-id' }
      : { ...sameKind, near: `${latitude},${longitude}`, sort: 'distance' },
    ...(sameShelter ? [{ ...common, ...sameShelter }] : []),
  ]
}
