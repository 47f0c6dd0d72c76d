import type { StoredApplication } from '../../../../applications/store.ts'
import { seesInternalData } from '../../../../http/caller.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import * as pets from '../../../../pets/store.ts'
import { daysSince, formatDate, mailLink } from '../../formats.ts'
import type { Texts } from '../../texts/texts.ts'
import type { Visit } from '../visit.ts'

// Parts that the pages of applications share: animal, applicant, answers and status.

export interface NamedAnimal {
  name: string
  bondedWith: number[]
}

/** The animals of applications, by id, without removed animals and animals of other organizations. */
export async function animalsOf(
  { db, caller: { view } }: Visit,
  petIds: readonly number[],
): Promise<Map<number, NamedAnimal>> {
  const found = await pets.findMany(db, [...new Set(petIds)])
  const own = found.filter(({ organizationId }) => seesInternalData(view, organizationId))
  return new Map(
    own.map(({ id, name, bondedWith = [] }) => [id, { name, bondedWith: bondedWith as number[] }]),
  )
}

export const nameOf = (
  animals: ReadonlyMap<number, NamedAnimal>,
  petId: number,
  { applications }: Texts['console'],
): string => animals.get(petId)?.name ?? applications.gone(petId)

/** Stands for the message in a choice of questions. A question is never only a space. */
export const MESSAGE = ' '

/**
 * The texts that the applicant sent.
 * @param chosen the only question to show, or MESSAGE; undefined shows everything
 */
export function sentPart({ personal }: StoredApplication, visit: Visit, chosen?: string | undefined): Html {
  const { applications } = visit.words
  if (!personal) return html`<p>${applications.erasedText}</p>`
  const { applicant, message, answers = [] } = personal
  if (chosen !== undefined) {
    const answer = chosen === MESSAGE ? message : answers.find(({ question }) => question === chosen)?.answer
    return html`<p class="said">${yesNoWords(visit).get(answer ?? '') ?? answer ?? applications.noAnswer}</p>`
  }
  const { email, phone, address } = applicant
  const yesNo = yesNoWords(visit)
  return html`<dl class="sent"><dt>${applications.email}</dt><dd>${mailLink(email)}</dd>
${phone && html`<dt>${applications.phone}</dt><dd>${phone}</dd>`}
${address && html`<dt>${applications.address}</dt><dd class="said">${address}</dd>`}
${message && html`<dt>${applications.message}</dt><dd class="said">${message}</dd>`}
${answers.map(({ question, answer }) => html`<dt>${question}</dt><dd class="said">${yesNo.get(answer) ?? answer}</dd>`)}</dl>`
}

function yesNoWords({ texts }: Visit): ReadonlyMap<string, string> {
  const { apply } = texts
  return new Map([
    ['yes', apply.yes],
    ['no', apply.no],
  ])
}

export const applicantName = ({ personal }: StoredApplication, { words }: Visit): string =>
  personal?.applicant.name ?? words.applications.erased

/** The time when the adoption was completed, which closes an approved application. */
export const adoptedAt = ({ status, closedAt }: StoredApplication): string | undefined =>
  status === 'approved' && closedAt !== null ? new Date(closedAt).toISOString() : undefined

/** The status of an application and its date. */
export function stateLine(stored: StoredApplication, { language, words }: Visit, now: number): Part {
  const { receivedAt, decidedAt, closedAt } = stored
  const { applications } = words
  const adopted = adoptedAt(stored)
  const status = adopted === undefined ? stored.status : 'adopted'
  const isWaiting = closedAt === null && decidedAt === undefined
  const since = adopted ?? decidedAt ?? receivedAt
  return html`<span class="tag ${status}">${applications.statuses[status] ?? applications.adopted}</span> <small><time datetime="${since}">${formatDate(language, Date.parse(since))}</time>${
    isWaiting && html`, ${applications.days(daysSince(receivedAt, now))}`
  }</small>`
}
