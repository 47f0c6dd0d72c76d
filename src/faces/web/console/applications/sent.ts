import type { FastifyRequest } from 'fastify'
import type { Stored } from '../../../../applications/store.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { dayIn, daysSince } from '../../dates.ts'
import { textsOf } from '../../texts/texts.ts'
import { wordsFor } from '../frame.ts'

/** Everything that somebody sent with an application. */
export function sentPart({ personal }: Stored, request: FastifyRequest): Html {
  const { language, words } = wordsFor(request)
  const { applications } = words
  if (!personal) return html`<p>${applications.erasedText}</p>`
  const { applicant, message, answers = [] } = personal
  const { email, phone, address } = applicant
  const { apply } = textsOf(language)
  const yesNo = new Map([
    ['yes', apply.yes],
    ['no', apply.no],
  ])
  return html`<dl class="sent"><dt>${applications.email}</dt><dd><a href="mailto:${email}">${email}</a></dd>
${phone && html`<dt>${applications.phone}</dt><dd>${phone}</dd>`}
${address && html`<dt>${applications.address}</dt><dd class="said">${address}</dd>`}
${message && html`<dt>${applications.message}</dt><dd class="said">${message}</dd>`}
${answers.map(({ question, answer }) => html`<dt>${question}</dt><dd class="said">${yesNo.get(answer) ?? answer}</dd>`)}</dl>`
}

export const applicantName = ({ personal }: Stored, request: FastifyRequest): string =>
  personal?.applicant.name ?? wordsFor(request).words.applications.erased

/** What it is now, and since when. */
export function stateLine(
  { status, receivedAt, decidedAt, closedAt }: Stored,
  request: FastifyRequest,
  now: number,
): Part {
  const { language, words } = wordsFor(request)
  const { applications } = words
  const isWaiting = closedAt === null && decidedAt === undefined
  const since = decidedAt ?? receivedAt
  return html`<span class="tag ${status}">${applications.statuses[status]}</span> <small><time datetime="${since}">${dayIn(language, Date.parse(since))}</time>${
    isWaiting && html`, ${applications.days(daysSince(receivedAt, now))}`
  }</small>`
}
