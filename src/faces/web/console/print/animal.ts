import type { FastifyRequest } from 'fastify'
import * as categories from '../../../../categories/store.ts'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { publicOrigin } from '../../../../http/link.ts'
import type { Organization } from '../../../../organizations/schema.ts'
import * as organizations from '../../../../organizations/store.ts'
import { isListed } from '../../../../pets/rules.ts'
import { photosBaseForPages, toPhotos } from '../../../../photos/storage/stored-photo.ts'
import { assetPath } from '../../assets.ts'
import { animalPath } from '../../gallery/animals.ts'
import { factList } from '../../gallery/facts.ts'
import { excerpt } from '../../gallery/frame.ts'
import { addressLines } from '../../gallery/page-parts.ts'
import { ageWords, breedWords, dateWords, type Phrasing, sexWords, sizeWords } from '../../gallery/phrases.ts'
import { phrasingFor } from '../../gallery/send.ts'
import { categoryLabel } from '../../kind-words.ts'
import { type OwnAnimal, ownAnimal } from '../animals/page.ts'
import { PREFIX } from '../pages.ts'
import { paperPage } from './paper.ts'
import { qrCode } from './qr-code.ts'

/** The poster and the kennel card of an animal. The poster has public data only. */
export function animalPapers(app: App, context: Context): void {
  app.get('/animals/:id/poster', async (request) => print(context, request, 'poster'))
  app.get('/animals/:id/kennel-card', async (request) => print(context, request, 'kennelCard'))
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

async function print(context: Context, request: FastifyRequest, paper: 'poster' | 'kennelCard') {
  const stored = await ownAnimal(context, request)
  const parts = await partsOf(context, request, stored)
  const { name } = stored.pet
  return paperPage(request, {
    title: parts.phrasing.texts.papers[paper](name),
    back: { path: `${PREFIX}/animals/${stored.id}`, name },
    main: paper === 'poster' ? poster(parts) : kennelCard(parts),
  })
}

async function partsOf(context: Context, request: FastifyRequest, stored: OwnAnimal): Promise<PaperParts> {
  const { config, db } = context
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
${pet.description !== undefined && html`<p class="text" dir="auto">${excerpt(pet.description)}</p>`}
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

/** Tells staff why there is no address. */
function unlisted({ texts: { papers } }: Phrasing, link: PaperParts['link']): Part {
  return link === undefined && html`<p class="notice unprinted">${papers.notListed}</p>`
}

function kennelCard({ phrasing, stored: { pet }, kind, photo, shelter, link }: PaperParts): Html {
  const { language, texts } = phrasing
  const { papers } = texts
  const { kennel, microchip, intakeDate } = pet.staff ?? {}
  const staffFacts: [string, string | undefined][] = [
    [papers.microchip, microchip],
    [papers.intakeDate, intakeDate && dateWords(language, intakeDate)],
  ]
  const known = staffFacts.filter(([, value]) => value !== undefined)
  return html`${unlisted(phrasing, link)}<article class="paper kennel"><header><div><h1 dir="auto">${pet.name}</h1>
${kennel !== undefined && html`<p class="place" dir="auto">${papers.kennel}: <strong>${kennel}</strong></p>`}</div><img src="${photo}" alt=""></header>
${factList(phrasing, pet, kind, shelter)}
${known.length > 0 && html`<dl class="facts">${known.map(([name, value]) => html`<dt>${name}</dt><dd dir="auto">${value}</dd>`)}</dl>`}
${linkPart(phrasing, link)}</article>`
}
