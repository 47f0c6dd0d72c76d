import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import { publicOrigin } from '../../../http/face.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import type { Organization } from '../../../organizations/schema.ts'
import * as organizations from '../../../organizations/store.ts'
import { LISTED_STATUSES } from '../../../pets/rules.ts'
import type { PetQuery } from '../../../pets/schema.ts'
import { allowPhotos, pageHeaders } from '../page.ts'
import { type Gallery, type Listing, listAnimals, shelterPath } from './animals.ts'
import { type CardNames, cardList, namesFor } from './cards.ts'
import { PER_PAGE } from './filters.ts'
import { excerpt, galleryPage, sharedHead } from './frame.ts'
import {
  copiedFrom,
  outwardLink,
  pageLinks,
  paragraphs,
  photoStrip,
  shelterData,
  shelterFacts,
} from './page-parts.ts'
import { hoursWords, type Phrasing, placeWords } from './phrases.ts'
import { newPage, requirePath, sendGallery } from './send.ts'

/** The maximum length of an organization's code. */
const MAX_CODE_CHARACTERS = 20

/** @throws {ApiError} organization_not_found */
export async function shelterOf({ context, show }: Gallery, code: string): Promise<Organization> {
  const id =
    code.length <= MAX_CODE_CHARACTERS ? await organizations.findIdByCode(context.db, code) : undefined
  if (id === undefined) throw new ApiError('organization_not_found')
  return organizations.toView(await organizations.get(context.db, id), show.photosBase) as Organization
}

/** Query for the animals of a shelter, newest first. */
export function queryOf({ id }: Organization, limit = PER_PAGE): PetQuery {
  return { organizationId: [id], status: [...LISTED_STATUSES], limit, sort: '-id', within: 100 }
}

type ShelterRequest = { Params: { code: string }; Querystring: Record<string, string | string[] | undefined> }

export function shelterRoute(app: App, gallery: Gallery): void {
  const { context } = gallery
  const { config } = context
  const headers = pageHeaders(config)
  app.get<ShelterRequest>('/organizations/:code', { config: { parameters: ['cursor'] } }, (request, reply) =>
    sendGallery(request, reply, context, async (phrasing) => {
      const shelter = await shelterOf(gallery, request.params.code)
      requirePath(request, shelterPath(shelter.code))
      const query = queryOf(shelter)
      const cursor = [request.query.cursor].flat()[0]
      const listing = await listAnimals(gallery, query, cursor)
      const names = await namesFor(gallery, listing.animals)
      const origin = publicOrigin(config, request)
      const body = shelterPage(phrasing, { shelter, listing, names, isFirst: cursor === undefined, origin })
      const { animals, isVolatile } = listing
      const allowed = allowPhotos(headers, [shelter, ...animals])
      return newPage(body, { headers: allowed, isVolatile, now: phrasing.now })
    }),
  )
}

interface ShelterParts {
  shelter: Organization
  listing: Listing
  names: CardNames
  isFirst: boolean
  origin: string
}

function shelterPage(phrasing: Phrasing, parts: ShelterParts): string {
  const { texts, language } = phrasing
  const { shelter, listing, names, isFirst, origin } = parts
  const { name, code, mission, photos } = shelter
  const { animals, next } = listing
  const path = shelterPath(code)
  const url = origin + path
  const words = texts.gallery.shelterDescription(name, placeWords(language, shelter.address))
  const description = excerpt(mission === undefined ? words : `${words} ${mission}`)
  return galleryPage({
    ...{
      language,
      path,
      title: `${texts.gallery.animalsOf(name)} · adoptable`,
      description,
      scripts: ['gallery.js'],
    },
    head: sharedHead({
      ...{ phrasing, url, origin, title: name, description, photo: photos?.[0] },
      data: [shelterData(shelter, url)],
    }),
    main: html`<h1 dir="auto">${name}</h1>
${isFirst && about(phrasing, shelter)}
<h2 dir="auto">${texts.gallery.animalsOf(name)}</h2>
${
  animals.length > 0
    ? cardList(phrasing, animals, names, { oneShelter: true, level: 3 })
    : html`<p>${texts.gallery.noAnimals}. ${texts.gallery.noAnimalsAdvice}</p>`
}
${pageLinks(texts, isFirst ? undefined : path, next && `${path}?cursor=${next}`)}`,
  })
}

function about(phrasing: Phrasing, shelter: Organization): Html {
  const { gallery } = phrasing.texts
  const { mission, photos, name, adoptionPolicy } = shelter
  return html`<div class="shelter-about">
${photos && photos.length > 0 && html`<div class="shelter-photos">${photoStrip(phrasing.texts, name, photos)}</div>`}
<div class="panel"><h2>${gallery.contact}</h2><dl class="facts">${contact(phrasing, shelter)}</dl>${copiedFrom(phrasing, shelter)}</div>
${hours(phrasing, shelter)}
${mission !== undefined && html`<section class="shelter-text"><h2>${gallery.mission}</h2>${paragraphs(mission)}</section>`}
${adoptionPolicy !== undefined && html`<details class="policy shelter-text"><summary>${gallery.policy}</summary>${paragraphs(adoptionPolicy)}</details>`}
</div>`
}

function contact(phrasing: Phrasing, shelter: Organization): Html {
  const { gallery } = phrasing.texts
  const networks = Object.entries(shelter.social ?? {}).filter(([, address]) => address !== undefined)
  return html`${shelterFacts(phrasing, shelter)}${
    networks.length > 0 &&
    html`<dt>${gallery.elsewhere}</dt><dd><ul class="inline">${networks.map(
      ([network, address]) => html`<li>${outwardLink(address as string, NETWORKS[network] ?? network)}</li>`,
    )}</ul></dd>`
  }`
}

/** The networks' own spelling of their names. */
const NETWORKS: Record<string, string> = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  tiktok: 'TikTok',
  x: 'X',
  youtube: 'YouTube',
  mastodon: 'Mastodon',
  bluesky: 'Bluesky',
  linkedin: 'LinkedIn',
}

function hours({ texts: { gallery }, language }: Phrasing, { hours = {}, address }: Organization): Part {
  const days = Object.entries(gallery.days).flatMap(([day, name]) => {
    const words = hours[day as keyof typeof hours]
    return words === undefined
      ? []
      : [html`<dt>${name}</dt><dd dir="auto">${hoursWords(language, words, address?.country)}</dd>`]
  })
  return (
    days.length > 0 && html`<div class="panel"><h2>${gallery.hours}</h2><dl class="facts">${days}</dl></div>`
  )
}
