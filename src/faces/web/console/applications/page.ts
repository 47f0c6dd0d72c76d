import type { FastifyRequest } from 'fastify'
import { movesOf } from '../../../../applications/application-changes.ts'
import type { ApplicationStatus } from '../../../../applications/schema.ts'
import type { Stored } from '../../../../applications/store.ts'
import type { Context } from '../../../../context.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { doersOf } from '../../../../staff/store.ts'
import { dayIn } from '../../dates.ts'
import { longTextField, type Problem, problemSummary } from '../../forms.ts'
import { doerIn } from '../animals/history.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { animalsOf, type Named, nameOf } from './names.ts'
import { orderSection } from './order-section.ts'
import { adoptedAt, applicantName, sentPart, stateLine } from './sent.ts'

/** What a text may be long at most. */
export const MOST_CHARACTERS = 5_000

export interface Shown {
  /** What somebody typed; the texts as they are when absent. */
  typed?: { reply: string; note: string }
  problems?: readonly Problem[]
}

/** One application, with all that can be done about it. */
export async function applicationPage(
  context: Context,
  request: FastifyRequest,
  stored: Stored,
  shown: Shown = {},
): Promise<string> {
  const { words } = wordsFor(request)
  const { applications } = words
  const animals = await animalsOf(context, [stored.petId])
  const friends = await animalsOf(context, animals.get(stored.petId)?.bondedWith ?? [])
  const name = nameOf(animals, stored.petId, words)
  const who = applicantName(stored, request)
  const wish = adoptedAt(stored) ? applications.hasAdopted(name) : applications.wishes(name)
  const mayDecide = callerMay(request.caller, 'decideApplications')
  const main = html`<div class="head"><div><h1>${who}</h1>
<p>${wish} ${stateLine(stored, request, context.clock())}</p>
<p>${animals.has(stored.petId) && html`<a href="${PREFIX}/animals/${stored.petId}">${name}</a> · `}<a href="${PREFIX}/applications?petId=${stored.petId}">${applications.forAnimal(name)}</a> ·
<a href="${PREFIX}/applications">${applications.all}</a></p></div></div>
${problemSummary(applications.wrong, shown.problems ?? [])}
<div class="two"><section class="card" aria-labelledby="sent"><h2 id="sent">${applications.sent}</h2>
${sentPart(stored, request)}</section>
<div>${await orderSection(context, request, stored)}
<section class="card" aria-labelledby="decide"><h2 id="decide">${applications.decide}</h2>
${await times(context, request, stored)}
${mayDecide && decisionForm(request, stored, { name, friends, shown })}</section></div></div>`
  return consolePage(request, { title: `${who}: ${name}`, main })
}

async function times({ db }: Context, request: FastifyRequest, stored: Stored): Promise<Html> {
  const { language, words } = wordsFor(request)
  const { applications } = words
  const { receivedAt, decidedAt, decidedBy, reason } = stored
  const doers = await doersOf(db, decidedBy === undefined ? [] : [decidedBy])
  const day = (time: string): Html =>
    html`<time datetime="${time}">${dayIn(language, Date.parse(time))}</time>`
  const by = decidedBy === undefined ? applications.byApplicant : doerIn(words, doers.get(decidedBy))
  const adopted = adoptedAt(stored)
  const told = adopted ? applications.adoptedText : applications.reasons[reason ?? '']
  return html`<dl class="facts"><dt>${applications.receivedAt}</dt><dd>${day(receivedAt)}</dd>
${decidedAt && html`<dt>${applications.decidedAt}</dt><dd>${day(decidedAt)}</dd><dt>${applications.decidedBy}</dt><dd>${by}</dd>`}
${adopted && html`<dt>${applications.adoptedAt}</dt><dd>${day(adopted)}</dd>`}</dl>
${told && html`<p>${told}</p>`}`
}

interface Deciding {
  name: string
  friends: ReadonlyMap<number, Named>
  shown: Shown
}

function decisionForm(request: FastifyRequest, stored: Stored, { name, friends, shown }: Deciding): Html {
  const { applications } = wordsFor(request).words
  const { id, status, personal } = stored
  const moves = movesOf(stored)
  if (!personal) return html`<p>${applications.closed}</p>`
  const { reply = '', note = '' } = personal
  const typed = shown.typed ?? { reply, note }
  const problems = shown.problems ?? []
  const area = (field: 'reply' | 'note', label: string, hint: string): Html =>
    html`${longTextField({ name: field, label, hint, value: typed[field], rows: 4, mostCharacters: MOST_CHARACTERS, problems })}
<input type="hidden" name="was-${field}" value="${{ reply, note }[field]}">`
  return html`<form method="post" id="field-form" action="${PREFIX}/applications/${id}" novalidate>
<input type="hidden" name="was" value="${status}">
${area('reply', applications.reply, applications.replyHint)}
${area('note', applications.note, applications.noteHint)}
${hints(moves, status, { name, friends }, request)}
<div class="row">${moves.map((to) => moveButton(to, status, request))}
<button class="plain" name="status" value="">${applications.save}</button></div></form>`
}

function hints(
  moves: readonly ApplicationStatus[],
  status: ApplicationStatus,
  { name, friends }: Pick<Deciding, 'name' | 'friends'>,
  request: FastifyRequest,
): Part {
  const { applications } = wordsFor(request).words
  if (moves.length === 0) return html`<p>${applications.closed}</p>`
  if (status === 'approved') return html`<p class="hint">${applications.approvedHint}</p>`
  if (friends.size === 0) return html`<p class="hint">${applications.approves}</p>`
  const names = [...friends.values()].map((friend) => friend.name)
  const listed = new Intl.ListFormat(wordsFor(request).language).format(names)
  return html`<p class="notice">${applications.bonded(name, listed)}</p>`
}

function moveButton(to: ApplicationStatus, from: ApplicationStatus, request: FastifyRequest): Html {
  const { applications } = wordsFor(request).words
  const words = to === 'in_review' && from === 'approved' ? applications.backToReview : applications.moves[to]
  const style = to === 'approved' ? undefined : to === 'declined' ? 'danger' : 'plain'
  return html`<button name="status" value="${to}"${style && html` class="${style}"`}>${words}</button>`
}
