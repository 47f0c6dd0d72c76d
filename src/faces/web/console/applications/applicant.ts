import type { FastifyRequest } from 'fastify'
import type { Stored } from '../../../../applications/store.ts'
import type { Context } from '../../../../context.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import * as pets from '../../../../pets/store.ts'
import { dayIn, daysSince } from '../../dates.ts'
import { mailLink } from '../../mail-link.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import { wordsFor } from '../frame.ts'

// The parts that all pages of applications share: the animal, the applicant, the answers, and the state.

export interface NamedAnimal {
  name: string
  bondedWith: number[]
  status: string | undefined
}

/** The animals of applications, by id. A removed animal is absent. */
export async function animalsOf(
  { db }: Pick<Context, 'db'>,
  petIds: readonly number[],
): Promise<Map<number, NamedAnimal>> {
  const found = await pets.findMany(db, [...new Set(petIds)])
  return new Map(
    found.map(({ id, name, status, bondedWith = [] }) => [
      id,
      { name, status, bondedWith: bondedWith as number[] },
    ]),
  )
}

export const nameOf = (
  animals: ReadonlyMap<number, NamedAnimal>,
  petId: number,
  { applications }: Texts['console'],
): string => animals.get(petId)?.name ?? applications.gone(petId)

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
  return html`<dl class="sent"><dt>${applications.email}</dt><dd>${mailLink(email)}</dd>
${phone && html`<dt>${applications.phone}</dt><dd>${phone}</dd>`}
${address && html`<dt>${applications.address}</dt><dd class="said">${address}</dd>`}
${message && html`<dt>${applications.message}</dt><dd class="said">${message}</dd>`}
${answers.map(({ question, answer }) => html`<dt>${question}</dt><dd class="said">${yesNo.get(answer) ?? answer}</dd>`)}</dl>`
}

export const applicantName = ({ personal }: Stored, request: FastifyRequest): string =>
  personal?.applicant.name ?? wordsFor(request).words.applications.erased

/** When the adoption was complete: an approved application is closed then. */
export const adoptedAt = ({ status, closedAt }: Stored): string | undefined =>
  status === 'approved' && closedAt !== null ? new Date(closedAt).toISOString() : undefined

/** The status of an application, and since when it has it. */
export function stateLine(stored: Stored, request: FastifyRequest, now: number): Part {
  const { receivedAt, decidedAt, closedAt } = stored
  const { language, words } = wordsFor(request)
  const { applications } = words
  const adopted = adoptedAt(stored)
  const status = adopted === undefined ? stored.status : 'adopted'
  const isWaiting = closedAt === null && decidedAt === undefined
  const since = adopted ?? decidedAt ?? receivedAt
  return html`<span class="tag ${status}">${applications.statuses[status] ?? applications.adopted}</span> <small><time datetime="${since}">${dayIn(language, Date.parse(since))}</time>${
    isWaiting && html`, ${applications.days(daysSince(receivedAt, now))}`
  }</small>`
}
