import type { FastifyRequest } from 'fastify'
import * as categories from '../../../../categories/store.ts'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { seesInternalData } from '../../../../http/caller.ts'
import { type Html, html } from '../../../../http/html.ts'
import * as organizations from '../../../../organizations/store.ts'
import * as pets from '../../../../pets/store.ts'
import { factList } from '../../gallery/facts.ts'
import { paragraphs } from '../../gallery/page-parts.ts'
import { dateWords } from '../../gallery/phrases.ts'
import { phrasingFor } from '../../gallery/send.ts'
import { categoryLabel } from '../../kind-words.ts'
import { adoptedAt, applicantName, sentPart } from '../applications/applicant.ts'
import { ownApplication } from '../applications/application.ts'
import { PREFIX } from '../pages.ts'
import { paperPage } from './paper.ts'

/** The record of an adoption: the animal, the adopter, what was agreed, and lines for signatures. */
export function adoptionRecord(app: App, context: Context): void {
  app.get('/applications/:id/record', async (request: FastifyRequest) => {
    const stored = await ownApplication(context, request)
    // Only an approved application has an agreement.
    if (stored.status !== 'approved') throw new ApiError('application_not_found')
    const current = await pets.find(context.db, stored.petId)
    // The animal may have moved to another organization.
    const animal = current && seesInternalData(request.caller.view, current.owner) ? current : undefined
    const phrasing = phrasingFor(request, context)
    const { language, texts } = phrasing
    const { papers } = texts
    const who = applicantName(stored, request)
    const adopted = adoptedAt(stored)
    const dates = [
      [texts.console.applications.receivedAt, stored.receivedAt],
      [texts.console.applications.decidedAt, stored.decidedAt],
      [texts.console.applications.adoptedAt, adopted],
    ] as const
    const reply = stored.personal?.reply
    const title = papers.record(animal?.pet.name ?? texts.console.applications.gone(stored.petId))
    return paperPage(request, {
      title,
      back: { path: `${PREFIX}/applications/${stored.id}`, name: who },
      main: html`<article class="paper record"><h1 dir="auto">${title}</h1>
<dl class="facts">${dates.map(([name, time]) => time !== undefined && html`<dt>${name}</dt><dd>${dateWords(language, time)}</dd>`)}</dl>
${animal && (await animalPart(context, request, animal.pet))}
<h2>${papers.adopter}</h2><p dir="auto"><strong>${who}</strong></p>${sentPart(stored, request)}
${reply !== undefined && html`<h2>${papers.reply}</h2>${paragraphs(reply)}`}
${animal && (await agreement(context, animal.pet, papers.agreed))}
<div class="signatures"><p>${papers.signShelter}</p><p>${papers.signAdopter}</p></div></article>`,
    })
  })
}

type OwnPet = pets.StoredPet['pet']

async function animalPart(context: Context, request: FastifyRequest, pet: OwnPet): Promise<Html> {
  const phrasing = phrasingFor(request, context)
  const { texts } = phrasing
  const category = await categories.find(context.db, pet.categoryId)
  const chip = pet.staff?.microchip
  return html`<h2 dir="auto">${pet.name}</h2>${factList(phrasing, pet, categoryLabel(texts, category?.name ?? ''))}
${chip !== undefined && html`<dl class="facts"><dt>${texts.papers.microchip}</dt><dd>${chip}</dd></dl>`}`
}

async function agreement({ db }: Context, { organizationId }: OwnPet, title: string): Promise<Html | false> {
  const shelter = organizationId === undefined ? undefined : await organizations.find(db, organizationId)
  const policy = shelter?.adoptionPolicy
  return policy !== undefined && html`<h2>${title}</h2>${paragraphs(policy)}`
}
