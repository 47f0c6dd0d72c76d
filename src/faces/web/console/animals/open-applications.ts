import type { FastifyRequest } from 'fastify'
import { listOpen } from '../../../../applications/search.ts'
import type { Context } from '../../../../context.ts'
import { type Html, html } from '../../../../http/html.ts'
import { viewerOf } from '../../../../orders/store.ts'
import { applicantName, stateLine } from '../applications/applicant.ts'
import { wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'

/** The open applications for an animal, for callers who may see applicants. */
export async function openApplications(
  { db, clock }: Context,
  request: FastifyRequest,
  petId: number,
): Promise<Html | undefined> {
  const { caller } = request
  if (!callerMay(caller, 'seeAdopters')) return undefined
  const open = await listOpen(db, petId, viewerOf(caller))
  if (open.length === 0) return undefined
  const { applications } = wordsFor(request).words
  const path = `${PREFIX}/applications`
  return html`<section class="card" id="applications" aria-labelledby="of-applications"><div class="head"><h2 id="of-applications">${applications.open}</h2>
${open.length > 1 && html`<a class="button plain" href="${path}?petId=${petId}">${applications.compare(open.length)}</a>`}</div>
<ul class="history">${open.map(
    (one) =>
      html`<li><p><a href="${path}/${one.id}">${applicantName(one, request)}</a> ${stateLine(one, request, clock())}</p></li>`,
  )}</ul></section>`
}
