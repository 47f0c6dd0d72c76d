import { encode } from 'uqr'
import * as categories from '../../../../categories/store.ts'
import { ApiError } from '../../../../errors.ts'
import { seesInternalData } from '../../../../http/caller.ts'
import { publicOrigin } from '../../../../http/face.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { languageOf } from '../../../../http/language.ts'
import type { Organization } from '../../../../organizations/schema.ts'
import * as organizations from '../../../../organizations/store.ts'
import { isListed } from '../../../../pets/rules.ts'
import * as pets from '../../../../pets/store.ts'
import { photosBaseForPages, toPhotos } from '../../../../photos/storage/stored-photo.ts'
import { assetPath } from '../../assets.ts'
import { categoryLabel } from '../../formats.ts'
import { animalPath } from '../../gallery/animals.ts'
import { type Fact, factList } from '../../gallery/cards.ts'
import { excerpt } from '../../gallery/frame.ts'
import { addressLines, paragraphs } from '../../gallery/page-parts.ts'
import { ageWords, breedWords, dateWords, type Phrasing, sexWords, sizeWords } from '../../gallery/phrases.ts'
import { phrasingFor } from '../../gallery/send.ts'
import { renderPage } from '../../page.ts'
import { textsOf } from '../../texts/texts.ts'
import { type OwnAnimal, ownAnimal } from '../animals/own-animal.ts'
import { adoptedAt, applicantName, sentPart } from '../applications/applicant.ts'
import { ownApplication } from '../applications/application.ts'
import { PREFIX, type Routes, type Visit } from '../visit.ts'

/** The poster and the kennel card of an animal. The poster has public data only. */
export function animalPapers({ get }: Routes): void {
  get('/animals/:id/poster', async (visit) => print(visit, 'poster'))
  get('/animals/:id/kennel-card', async (visit) => print(visit, 'kennelCard'))
}

interface PaperParts {
  phrasing: Phrasing
  stored: OwnAnimal
  /** Name of the category in the language of the page. */
  kind: string
  photo: string
  shelter: Organization | undefined
  /** The address of the animal's public page. Absent if the animal has no public page. */
  link: string | undefined
}

async function print(visit: Visit, paper: 'poster' | 'kennelCard') {
  const stored = await ownAnimal(visit)
  const parts = await partsOf(visit, stored)
  const { name } = stored.pet
  return paperPage(visit, {
    title: parts.phrasing.texts.papers[paper](name),
    back: { path: `${PREFIX}/animals/${stored.id}`, name },
    main: paper === 'poster' ? poster(parts) : kennelCard(parts),
  })
}

async function partsOf(visit: Visit, stored: OwnAnimal): Promise<PaperParts> {
  const { context, db, request } = visit
  const { config } = context
  const { pet, photos, id } = stored
  const phrasing = phrasingFor(request, context)
  const base = photosBaseForPages(config)
  const shelter =
    pet.organizationId === undefined ? undefined : await organizations.find(db, pet.organizationId)
  const category = await categories.find(db, pet.categoryId)
  const url = publicOrigin(config, request) + animalPath({ id, name: pet.name })
  return {
    ...{ phrasing, stored },
    kind: categoryLabel(phrasing.texts, category?.name ?? ''),
    photo: toPhotos(photos, base)?.[0]?.sizes.large ?? assetPath('no-photo.svg'),
    shelter: shelter && organizations.toView(shelter, base),
    link: isListed(pet) ? url : undefined,
  }
}

/** Fits on one sheet with a photo and the lines of the shelter. */
const MAX_POSTER_TEXT = 320

function poster({ phrasing, stored: { pet }, kind, photo, shelter, link }: PaperParts): Html {
  const { texts } = phrasing
  const { papers } = texts
  const traits = [
    breedWords(texts, pet, kind),
    ageWords(phrasing, pet),
    sexWords(texts, pet),
    sizeWords(texts, pet),
  ]
  return html`${unlisted(phrasing, link)}<article class="paper poster"><p class="call">${papers.lookingForHome}</p>
<img src="${photo}" alt="">
<h1 dir="auto">${pet.name}</h1>
<p class="traits" dir="auto">${traits.filter(Boolean).join(' · ')}</p>
${pet.description !== undefined && html`<p class="text" dir="auto">${excerpt(pet.description, MAX_POSTER_TEXT)}</p>`}
<div class="end"><div>${shelter && shelterLines(phrasing, shelter)}</div>${linkPart(phrasing, link)}</div></article>`
}

function shelterLines({ language }: Phrasing, shelter: Organization): Html {
  const { name, phone, email } = shelter
  const lines = [...addressLines(language, shelter), phone, email].filter(Boolean)
  return html`<p dir="auto"><strong>${name}</strong>${lines.map((line) => html`<br>${line}`)}</p>`
}

function linkPart({ texts: { papers } }: Phrasing, link: PaperParts['link']): Part {
  return (
    link !== undefined &&
    html`<div class="code">${qrCode(link, papers.code)}<p>${papers.readMore}<br><small>${link}</small></p></div>`
  )
}

/** Shows staff why the paper has no address. */
function unlisted({ texts: { papers } }: Phrasing, link: PaperParts['link']): Part {
  return link === undefined && html`<p class="notice unprinted">${papers.notListed}</p>`
}

function kennelCard({ phrasing, stored: { pet }, kind, photo, shelter, link }: PaperParts): Html {
  const { language, texts } = phrasing
  const { papers } = texts
  const { kennel, microchip, intakeDate } = pet.staff ?? {}
  const more: Fact[] = [
    [papers.microchip, microchip],
    [papers.intakeDate, intakeDate && dateWords(language, intakeDate)],
  ]
  return html`${unlisted(phrasing, link)}<article class="paper kennel"><header><div><h1 dir="auto">${pet.name}</h1>
${kennel !== undefined && html`<p class="place" dir="auto">${papers.kennel}: <strong>${kennel}</strong></p>`}</div><img src="${photo}" alt=""></header>
${factList(phrasing, pet, kind, { shelter, more })}
${linkPart(phrasing, link)}</article>`
}

/** Number of light modules around the code, which scanners need (ISO/IEC 18004). */
const BORDER = 4

/** A QR code as a picture. It is readable with 15 % of it damaged, because posters hang outside. */
function qrCode(address: string, label: string): Html {
  const { size, data } = encode(address, { ecc: 'M', border: BORDER })
  const modules = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path d="${modules.join('')}"/></svg>`
}

interface Paper {
  title: string
  /** The path of the page to return to, and its name. */
  back: { path: string; name: string }
  main: Html
}

/** A page that fits A4 and Letter. The link back and the button to print are not printed. */
function paperPage({ request }: Visit, { title, back, main }: Paper): string {
  const language = languageOf(request.headers)
  const { papers } = textsOf(language)
  return renderPage({
    ...{ language, title, style: 'paper.css', scripts: ['paper.js'] },
    header: html`<header class="bar unprinted"><a href="${back.path}">← ${back.name}</a>
<button type="button" data-print hidden>${papers.print}</button></header>`,
    main,
  })
}

/** The record of an adoption: the animal, the adopter, what was agreed, and lines for signatures. */
export function adoptionRecord({ get }: Routes): void {
  get('/applications/:id/record', async (visit) => {
    const { context, db } = visit
    const stored = await ownApplication(visit)
    // Only an approved application has an agreement.
    if (stored.status !== 'approved') throw new ApiError('application_not_found')
    const current = await pets.find(db, stored.petId)
    // The animal may have moved to another organization.
    const animal = current && seesInternalData(visit.caller.view, current.owner) ? current : undefined
    const phrasing = phrasingFor(visit.request, context)
    const { language, texts } = phrasing
    const { papers } = texts
    const who = applicantName(stored, visit)
    const adopted = adoptedAt(stored)
    const dates = [
      [texts.console.applications.receivedAt, stored.receivedAt],
      [texts.console.applications.decidedAt, stored.decidedAt],
      [texts.console.applications.adoptedAt, adopted],
    ] as const
    const reply = stored.personal?.reply
    const title = papers.record(animal?.pet.name ?? texts.console.applications.gone(stored.petId))
    return paperPage(visit, {
      title,
      back: { path: `${PREFIX}/applications/${stored.id}`, name: who },
      main: html`<article class="paper record"><h1 dir="auto">${title}</h1>
<dl class="facts">${dates.map(([name, time]) => time !== undefined && html`<dt>${name}</dt><dd>${dateWords(language, time)}</dd>`)}</dl>
${animal && (await animalPart(db, phrasing, animal.pet))}
<h2>${papers.adopter}</h2><p dir="auto"><strong>${who}</strong></p>${sentPart(stored, visit)}
${reply !== undefined && html`<h2>${papers.reply}</h2>${paragraphs(reply)}`}
${animal && (await agreement(db, animal.pet, papers.agreed))}
<div class="signatures"><p>${papers.signShelter}</p><p>${papers.signAdopter}</p></div></article>`,
    })
  })
}

type OwnPet = pets.StoredPet['pet']

async function animalPart(db: Visit['db'], phrasing: Phrasing, pet: OwnPet): Promise<Html> {
  const { texts } = phrasing
  const category = await categories.find(db, pet.categoryId)
  const chip = pet.staff?.microchip
  return html`<h2 dir="auto">${pet.name}</h2>${factList(phrasing, pet, categoryLabel(texts, category?.name ?? ''), { more: [[texts.papers.microchip, chip]] })}`
}

async function agreement(db: Visit['db'], { organizationId }: OwnPet, title: string): Promise<Html | false> {
  const shelter = organizationId === undefined ? undefined : await organizations.find(db, organizationId)
  const policy = shelter?.adoptionPolicy
  return policy !== undefined && html`<h2>${title}</h2>${paragraphs(policy)}`
}
