import type { FastifyRequest } from 'fastify'
import { movesOf } from '../../../../applications/application-changes.ts'
import type { ApplicationStatus } from '../../../../applications/schema.ts'
import { list } from '../../../../applications/search.ts'
import type { Stored } from '../../../../applications/store.ts'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import { seesWhole } from '../../../../http/caller.ts'
import { type Html, html } from '../../../../http/html.ts'
import { viewerOf } from '../../../../orders/store.ts'
import * as pets from '../../../../pets/store.ts'
import { statusTag } from '../animals/page.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { applicantName, sentPart, stateLine } from './sent.ts'

const MOST = 50
const RANKS = ['approved', 'received', 'in_review']

/** Who is chosen first, then who waits, then the others; each of them in the order in which they came. */
const rankOf = ({ status }: Stored): number => (RANKS.includes(status) ? Number(status !== 'approved') : 2)

interface Asked {
  id: number
  status: ApplicationStatus | undefined
}

/** All who would like to adopt one animal, with everything they sent, side by side. */
export async function comparePage(
  context: Context,
  request: FastifyRequest,
  { id, status }: Asked,
): Promise<string> {
  const { words } = wordsFor(request)
  const { applications } = words
  const stored = await pets.find(context.db, id)
  const filters = { petId: id, limit: MOST, ...(status && { status }) }
  const found = (await list(context.db, filters, viewerOf(request.caller))).slice(0, MOST)
  const isOwn = stored && seesWhole(request.caller.view, stored.owner)
  if (!isOwn && found.length === 0) throw new ApiError('pet_not_found')
  const sorted = found.sort((one, other) => rankOf(one) - rankOf(other) || one.id - other.id)
  const name = isOwn ? stored.pet.name : applications.gone(id)
  const title = applications.forAnimal(name)
  const mayDecide = callerMay(request.caller, 'decideApplications')
  const cards = sorted.map(
    (
      one,
    ) => html`<section class="card" aria-labelledby="by-${one.id}"><h2 id="by-${one.id}"><a href="${PREFIX}/applications/${one.id}">${applicantName(one, request)}</a></h2>
<p>${stateLine(one, request, context.clock())}</p>
${sentPart(one, request)}
${one.personal?.note && html`<p class="said aside"><strong>${applications.note}:</strong> ${one.personal.note}</p>`}
${mayDecide && movesOf(one).length > 0 && decideLink(one, request)}</section>`,
  )
  const main = html`<div class="head"><div><h1>${title}</h1>
<p>${isOwn && html`${statusTag(stored.pet.status ?? 'unlisted', words)} <a href="${PREFIX}/animals/${id.toString()}">${name}</a> · `}<a href="${PREFIX}/applications">${applications.all}</a></p></div></div>
${cards.length === 0 ? html`<p class="card">${applications.noneOfStatus}</p>` : html`<div class="beside">${cards}</div>`}`
  return consolePage(request, { title, main })
}

function decideLink(one: Stored, request: FastifyRequest): Html {
  const { applications } = wordsFor(request).words
  const name = `${applications.toDecide}: ${applicantName(one, request)}`
  return html`<p><a class="button plain" href="${PREFIX}/applications/${one.id}#decide" aria-label="${name}">${applications.toDecide}</a></p>`
}
