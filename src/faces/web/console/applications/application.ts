import { listNextStatuses } from '../../../../applications/application-changes.ts'
import { readDecision } from '../../../../applications/forms.ts'
import { ORDER_TRANSITIONS } from '../../../../applications/order-changes.ts'
import { type EmailState, findEmailState } from '../../../../applications/outbox.ts'
import type { ApplicationPatch, ApplicationStatus } from '../../../../applications/schema.ts'
import {
  type ClosingStatus,
  get as getApplication,
  isClosing,
  type StoredApplication,
} from '../../../../applications/store.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError, isRefusal } from '../../../../errors.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { parseInt64 } from '../../../../http/int64.ts'
import type { OrderStatus } from '../../../../orders/schema.ts'
import * as orders from '../../../../orders/store.ts'
import { listChangeAuthors } from '../../../../staff/store.ts'
import { formatDate } from '../../formats.ts'
import { longTextField, type Problem, problemSummary } from '../../forms.ts'
import { authorLabel } from '../animals/history.ts'
import { orderButtons } from '../animals/page.ts'
import { NON_FIELD } from '../fields.ts'
import { consolePage } from '../frame.ts'
import { PREFIX, type Routes, type Visit } from '../visit.ts'
import {
  adoptedAt,
  animalsOf,
  applicantName,
  type NamedAnimal,
  nameOf,
  sentPart,
  stateLine,
} from './applicant.ts'

/** The page of an application, with the decision, the reply and the order. */
export function applicationPages({ get, post }: Routes): void {
  const path = '/applications/:id'
  get(path, async (visit) => applicationPage(visit, await ownApplication(visit)))
  post(path, decide)
  post(`${path}/order`, decideOrder)
}

/** @throws {ApiError} application_not_found, also for an animal of another organization */
export function ownApplication({ db, caller, params }: Visit): Promise<StoredApplication> {
  const id = parseInt64(params.id)
  if (id === undefined) throw new ApiError('application_not_found')
  return getApplication(db, id, orders.viewerOf(caller))
}

/** The reply to the applicant and the note for staff, as typed. */
interface Texts {
  reply: string
  note: string
}

/** The hidden field that confirms the closing of an application. */
const SURE = 'sure'

async function decide(visit: Visit) {
  const { context, form } = visit
  const before = await ownApplication(visit)
  const typed = { reply: readField(form, 'reply'), note: readField(form, 'note') }
  const status = form.get('status') ?? ''
  try {
    requireSame(form, before.status, status)
    if (isClosing(status) && listNextStatuses(before).includes(status) && !form.has(SURE))
      return closingPage(visit, before, { status, form, emails: await findEmailState(context, before.id) })
    const patch = readDecision({ ...(status !== '' && { status }), ...changedTexts(form, typed) })
    const decision = { ...orders.viewerOf(visit.caller), id: before.id, now: visit.clock() }
    await visit.write(changes.updateApplication, patch, decision)
  } catch (error) {
    return refused(visit, error, typed)
  }
  const done = status === '' || status === before.status ? 'saved' : status
  return visit.reply.redirect(`${PREFIX}/applications/${before.id}?done=application_${done}`, 303)
}

/** Returns only the edited texts, because another person may have changed the other text in the meantime. */
function changedTexts(form: FormBody, typed: Texts): Pick<ApplicationPatch, 'reply' | 'note'> {
  const names = (['reply', 'note'] as const).filter(
    (name) => form.has(name) && typed[name] !== readField(form, `was-${name}`),
  )
  return Object.fromEntries(names.map((name) => [name, typed[name] === '' ? null : typed[name]]))
}

/** @throws {ApiError} invalid_status_transition if the status has changed since the page was shown */
function requireSame(form: FormBody, now: string, to: string): void {
  const was = form.get('was')
  if (to !== '' && to !== now && was !== null && was !== now) throw new ApiError('invalid_status_transition')
}

/** Completes or cancels the order of an application. */
async function decideOrder(visit: Visit) {
  const { id, orderId } = await ownApplication(visit)
  const status = visit.form.get('status') ?? ''
  try {
    if (orderId === undefined || !Object.hasOwn(ORDER_TRANSITIONS, status))
      throw new ApiError('order_not_found')
    const decision = { ...orders.viewerOf(visit.caller), id: orderId, now: visit.clock() }
    await visit.write(changes.decideOrder, status as OrderStatus, decision)
  } catch (error) {
    return refused(visit, error)
  }
  return visit.reply.redirect(`${PREFIX}/applications/${id}?done=${status}`, 303)
}

/** The page of the current application with the typed texts and the problem. */
async function refused(visit: Visit, error: unknown, typed?: Texts): Promise<string> {
  const { words } = visit
  if (!isRefusal(error)) throw error
  const now = await ownApplication(visit)
  const textField = error.details?.[0]?.pointer?.slice(1) === 'note' ? 'note' : 'reply'
  const field = error.code === 'validation_failed' ? textField : NON_FIELD
  const message = words.applications.problems[error.code] ?? words.otherError
  visit.reply.code(error.status)
  return applicationPage(visit, now, { typed, problems: [{ field, message }] })
}

const MAX_CHARACTERS = 5_000

/** The content of the page after the service has refused a form. */
interface Refusal {
  /** The texts of the form. By default, the stored texts. */
  typed?: Texts | undefined
  problems?: readonly Problem[]
}

async function applicationPage(
  visit: Visit,
  stored: StoredApplication,
  { typed, problems = [] }: Refusal = {},
): Promise<string> {
  const { texts, words } = visit
  const { applications } = words
  const animals = await animalsOf(visit, [stored.petId])
  const { bondedWith = [] } = animals.get(stored.petId) ?? {}
  const friends = await animalsOf(visit, bondedWith)
  const name = nameOf(animals, stored.petId, words)
  const who = applicantName(stored, visit)
  const wish = adoptedAt(stored) ? applications.hasAdopted(name) : applications.wishes(name)
  const mayDecide = visit.may('decideApplications')
  const emails = await findEmailState(visit.context, stored.id)
  const main = html`<div class="head"><div><h1>${who}</h1>
<p>${wish} ${stateLine(stored, visit, visit.clock())}</p>
<p class="unprinted">${animals.has(stored.petId) && html`<a href="${PREFIX}/animals/${stored.petId}">${name}</a> · `}<a href="${PREFIX}/applications?petId=${stored.petId}">${applications.forAnimal(name)}</a> ·
<a href="${PREFIX}/applications">${applications.all}</a>${
    stored.status === 'approved' &&
    html` · <a href="${PREFIX}/applications/${stored.id}/record">${texts.papers.links.record}</a>`
  }</p></div></div>
${problemSummary(applications.wrong, problems)}
<div class="two"><section class="card" aria-labelledby="sent"><h2 id="sent">${applications.sent}</h2>
${sentPart(stored, visit)}</section>
<div>${await orderSection(visit, stored)}
<section class="card" aria-labelledby="decide"><h2 id="decide">${applications.decide}</h2>
${await times(visit, stored)}
${emails === 'refused' && html`<p class="notice">${applications.emailRefused}</p>`}
${mayDecide && decisionForm(visit, stored, { name, friends, emails, typed, problems })}</section></div></div>`
  return consolePage(visit, { title: `${who}: ${name}`, main })
}

async function times({ db, language, words }: Visit, stored: StoredApplication): Promise<Html> {
  const { applications } = words
  const { receivedAt, decidedAt, decidedBy, reason } = stored
  const authors = await listChangeAuthors(db, decidedBy === undefined ? [] : [decidedBy])
  const day = (time: string): Html =>
    html`<time datetime="${time}">${formatDate(language, Date.parse(time))}</time>`
  const by = decidedBy === undefined ? applications.byApplicant : authorLabel(words, authors.get(decidedBy))
  const adopted = adoptedAt(stored)
  const explanation = adopted ? applications.adoptedText : applications.reasons[reason ?? '']
  return html`<dl class="facts"><dt>${applications.receivedAt}</dt><dd>${day(receivedAt)}</dd>
${decidedAt && html`<dt>${applications.decidedAt}</dt><dd>${day(decidedAt)}</dd><dt>${applications.decidedBy}</dt><dd>${by}</dd>`}
${adopted && html`<dt>${applications.adoptedAt}</dt><dd>${day(adopted)}</dd>`}</dl>
${explanation && html`<p>${explanation}</p>`}`
}

interface DecisionParts {
  /** The animal, and the animals that are adopted together with it. */
  name: string
  friends: ReadonlyMap<number, NamedAnimal>
  emails: EmailState
  typed: Texts | undefined
  problems: readonly Problem[]
}

function decisionForm(
  visit: Visit,
  stored: StoredApplication,
  { name, friends, emails, typed, problems }: DecisionParts,
): Html {
  const { applications } = visit.words
  const { id, status, personal } = stored
  const moves = listNextStatuses(stored)
  if (!personal) return html`<p>${applications.closed}</p>`
  const { reply = '', note = '' } = personal
  const texts = { reply, note }
  const area = (field: 'reply' | 'note', label: string, hint: string): Html =>
    html`${longTextField({ name: field, label, hint, value: (typed ?? texts)[field], rows: 4, maxLength: MAX_CHARACTERS, problems })}
<input type="hidden" name="was-${field}" value="${texts[field]}">`
  return html`<form method="post" id="field-${NON_FIELD}" action="${PREFIX}/applications/${id}" novalidate>
<input type="hidden" name="was" value="${status}">
${area('reply', applications.reply, applications.replyHints[emails])}
${area('note', applications.note, applications.noteHint)}
${hints(moves, status, { name, friends }, visit)}
<div class="row">${moves.map((to) => moveButton(to, status, visit))}
<button class="plain" name="status" value="">${applications.save}</button></div></form>`
}

function hints(
  moves: readonly ApplicationStatus[],
  status: ApplicationStatus,
  { name, friends }: Pick<DecisionParts, 'name' | 'friends'>,
  { language, words }: Visit,
): Part {
  const { applications } = words
  if (moves.length === 0) return html`<p>${applications.closed}</p>`
  if (status === 'approved') return html`<p class="hint">${applications.approvedHint}</p>`
  if (friends.size === 0) return html`<p class="hint">${applications.approves}</p>`
  const names = [...friends.values()].map((friend) => friend.name)
  const listed = new Intl.ListFormat(language).format(names)
  return html`<p class="notice">${applications.bonded(name, listed)}</p>`
}

function moveButton(to: ApplicationStatus, from: ApplicationStatus, visit: Visit): Html {
  const { applications } = visit.words
  const words = to === 'in_review' && from === 'approved' ? applications.backToReview : applications.moves[to]
  const style = to === 'approved' ? undefined : to === 'declined' ? 'danger' : 'plain'
  return html`<button name="status" value="${to}"${style && html` class="${style}"`}>${words}</button>`
}

/** The order that the approval placed. Completing the order completes the adoption. */
async function orderSection(visit: Visit, { id, orderId }: StoredApplication): Promise<Html | undefined> {
  const { db, caller, may, words } = visit
  if (orderId === undefined) return undefined
  const { applications, animal } = words
  const { status } = await orders.get(db, orderId, orders.viewerOf(caller))
  const buttons = orderButtons(status, words)
  return html`<section class="card" aria-labelledby="order"><h2 id="order">${applications.order}</h2>
<p><span class="tag">${animal.orders.statuses[status]}</span> ${buttons.length > 0 && applications.orderText(orderId)}</p>
${
  buttons.length > 0 &&
  may('decideOrders') &&
  html`<form class="row" method="post" action="${PREFIX}/applications/${id}/order">${buttons}</form>`
}</section>`
}

/** The confirmation page repeats these fields of the decision form. It has its own field for the reply. */
const REPEATED = ['was', 'was-reply', 'note', 'was-note']

/** Asks for confirmation and for a reply before an application is closed, which cannot be undone. */
function closingPage(
  visit: Visit,
  stored: StoredApplication,
  { status, form, emails }: { status: ClosingStatus; form: FormBody; emails: EmailState },
): string {
  const { applications } = visit.words
  const { closing } = applications
  const question = closing[status]
  const { id, personal } = stored
  const title = question.title(applicantName(stored, visit))
  const path = `${PREFIX}/applications/${id}`
  const repeated = REPEATED.filter((name) => form.has(name))
  return consolePage(visit, {
    title,
    main: html`<div class="narrow"><h1>${title}</h1>
<p>${closing.text} ${applications.replyHints[emails]}</p>
<form method="post" action="${path}" novalidate>
<input type="hidden" name="status" value="${status}"><input type="hidden" name="${SURE}" value="yes">
${repeated.map((name) => html`<input type="hidden" name="${name}" value="${readField(form, name)}">`)}
${longTextField({
  name: 'reply',
  label: closing.reply,
  value: form.has('reply') ? readField(form, 'reply') : personal?.reply,
  rows: 4,
  maxLength: MAX_CHARACTERS,
})}
<div class="row"><button class="danger">${question.yes}</button>
<a class="button plain" href="${path}">${closing.no}</a></div></form></div>`,
  })
}
