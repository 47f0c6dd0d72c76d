import { listNextStatuses } from '../../../../applications/application-changes.ts'
import type { ApplicationStatus } from '../../../../applications/schema.ts'
import {
  findOthersOfSamePeople,
  list,
  listWaiting,
  type OtherApplication,
} from '../../../../applications/search.ts'
import type { StoredApplication } from '../../../../applications/store.ts'
import { ApiError } from '../../../../errors.ts'
import { seesInternalData } from '../../../../http/caller.ts'
import { type Html, html } from '../../../../http/html.ts'
import { parseInt64 } from '../../../../http/int64.ts'
import { makeCursor, readCursor } from '../../../../http/paging.ts'
import { viewerOf } from '../../../../orders/store.ts'
import * as pets from '../../../../pets/store.ts'
import { selectField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { statusTag } from '../animals/page.ts'
import { readOnlyOrganization } from '../choices.ts'
import { consolePage, pagerOf } from '../frame.ts'
import { tabPath } from '../organization/organization.ts'
import { PREFIX, type Routes, type Visit } from '../visit.ts'
import {
  animalsOf,
  applicantName,
  MESSAGE,
  type NamedAnimal,
  nameOf,
  sentPart,
  stateLine,
} from './applicant.ts'

const PATH = `${PREFIX}/applications`
const PAGE_SIZE = 25

/**
 * Lists the applications that need a decision, grouped by animal. Also shows all applications for one animal,
 * side by side.
 */
export function queuePage({ get }: Routes): void {
  get('/applications', (visit) => {
    const { petId, status, question } = visit.query
    const id = typeof petId === 'string' ? parseInt64(petId) : undefined
    const filter = statusIn(status, visit.words)
    return id === undefined ? page(visit, filter) : comparePage(visit, id, { status: filter, question })
  })
}

function statusIn(value: unknown, { applications }: Texts['console']): ApplicationStatus | undefined {
  return Object.hasOwn(applications.statuses, String(value)) ? (value as ApplicationStatus) : undefined
}

async function page(visit: Visit, status: ApplicationStatus | undefined): Promise<string> {
  const { context, db, caller, words } = visit
  const { applications, questions } = words
  const { cursor } = visit.query
  const scope = JSON.stringify(['console applications', caller.view, status])
  const after =
    typeof cursor === 'string' ? readCursor<[number]>(context.cursorSecret, scope, cursor)[0] : undefined
  const viewer = viewerOf(caller)
  const found = status
    ? await list(db, { status, limit: PAGE_SIZE, after }, viewer)
    : await listWaiting(db, { limit: PAGE_SIZE, after }, viewer)
  const visible = found.slice(0, PAGE_SIZE)
  const last = found.length > PAGE_SIZE ? visible.at(-1) : undefined
  const others = await findOthersOfSamePeople(db, visible, viewer)
  const animals = await animalsOf(
    visit,
    [...visible, ...[...others.values()].flat()].map(({ petId }) => petId),
  )
  const groups = Map.groupBy(visible, ({ petId }) => petId)
  const parts = { animals, others, now: visit.clock() }
  const next = last && makeCursor(context.cursorSecret, scope, [last.id])
  const to = (more = {}): string => `${PATH}?${new URLSearchParams({ ...(status && { status }), ...more })}`
  const main = html`<div class="head"><h1>${applications.title}</h1>
${visit.may('changeOrganization') && html`<a class="button plain" href="${await questionsPath(visit)}">${questions.title}</a>`}</div>
${statusForm(status, words)}
${visible.length === 0 && html`<p class="card">${status ? applications.noneOfStatus : applications.none}</p>`}
${[...groups].map(([petId, group]) => animalGroup(petId, group, parts, visit))}
${pagerOf(applications, after !== undefined && to(), next && to({ cursor: next }))}`
  return consolePage(visit, { title: applications.title, main })
}

function statusForm(status: ApplicationStatus | undefined, { applications }: Texts['console']): Html {
  const choices = [['', applications.waiting] as const, ...Object.entries(applications.statuses)]
  return html`<form class="filters" method="get" action="${PATH}" role="search">
${selectField({ name: 'status', label: applications.status, value: status, choices })}
<div class="row"><button class="plain">${applications.show}</button></div></form>`
}

interface QueueParts {
  animals: ReadonlyMap<number, NamedAnimal>
  /** Other applications of the same person, by the id of the application. */
  others: ReadonlyMap<number, OtherApplication[]>
  now: number
}

function samePerson(own: readonly OtherApplication[], animals: QueueParts['animals'], visit: Visit): Html {
  const { words } = visit
  const links = own.map(
    ({ id, petId }, index) =>
      html`${index > 0 && ', '}<a href="${PATH}/${id}">${nameOf(animals, petId, words)}</a>`,
  )
  return html`<p class="hint">${words.applications.alsoAppliedFor} ${links}</p>`
}

function animalGroup(
  petId: number,
  group: readonly StoredApplication[],
  { animals, others, now }: QueueParts,
  visit: Visit,
): Html {
  const { words } = visit
  const { applications } = words
  const name = nameOf(animals, petId, words)
  const exists = animals.has(petId)
  return html`<section class="card" aria-labelledby="of-${petId}"><div class="head"><h2 id="of-${petId}">${
    exists ? html`<a href="${PREFIX}/animals/${petId}">${name}</a>` : name
  }</h2>
<a class="button plain" href="${PATH}?petId=${petId}" aria-label="${applications.compare(group.length)}: ${applications.forAnimal(name)}">${applications.compare(group.length)}</a></div>
<ul class="history">${group.map(
    (one) =>
      html`<li><p><a href="${PATH}/${one.id}">${applicantName(one, visit)}</a> ${stateLine(one, visit, now)}</p>${others.has(one.id) && samePerson(others.get(one.id) ?? [], animals, visit)}</li>`,
  )}</ul></section>`
}

const MAX_COMPARED = 50
/**
 * The maximum size of the page. Further applications show only a heading, because other requests wait while a
 * page is rendered.
 */
const MAX_COMPARED_CHARACTERS = 500_000
/** The approved application comes first, then open applications, then all other applications (rank 2). */
const RANKS: Partial<Record<ApplicationStatus, number>> = { approved: 0, received: 1, in_review: 1 }

/** All applicants for one animal, with everything they sent, side by side. */
async function comparePage(
  visit: Visit,
  id: number,
  { status, question }: { status: ApplicationStatus | undefined; question: unknown },
): Promise<string> {
  const { db, caller, words } = visit
  const { applications } = words
  const stored = await pets.find(db, id)
  const filters = { petId: id, limit: MAX_COMPARED, ...(status && { status }) }
  const found = (await list(db, filters, viewerOf(caller))).slice(0, MAX_COMPARED)
  const isOwn = stored && seesInternalData(caller.view, stored.owner)
  if (!isOwn && found.length === 0) throw new ApiError('pet_not_found')
  const rankOf = ({ status }: StoredApplication): number => RANKS[status] ?? 2
  const sorted = found.sort((one, other) => rankOf(one) - rankOf(other) || one.id - other.id)
  const questions = questionsIn(found, words)
  const chosen = questions.find(([value]) => value !== '' && value === question)?.[0]
  const name = isOwn ? stored.pet.name : applications.gone(Number(id))
  const title = applications.forAnimal(name)
  const mayDecide = visit.may('decideApplications')
  let characters = 0
  const cards = sorted.map((one) => {
    const sent =
      characters < MAX_COMPARED_CHARACTERS
        ? sentPart(one, visit, chosen)
        : html`<p>${applications.notShown}</p>`
    characters += sent.text.length
    return html`<section class="card" aria-labelledby="by-${one.id}"><h2 id="by-${one.id}"><a href="${PATH}/${one.id}">${applicantName(one, visit)}</a></h2>
<p>${stateLine(one, visit, visit.clock())}</p>
${sent}
${one.personal?.note && html`<p class="said aside"><strong>${applications.note}:</strong> ${one.personal.note}</p>`}
${mayDecide && listNextStatuses(one).length > 0 && decideLink(one, visit)}</section>`
  })
  const main = html`<div class="head"><div><h1>${title}</h1>
<p>${isOwn && html`${statusTag(stored.pet, visit)} <a href="${PREFIX}/animals/${id.toString()}">${name}</a> · `}<a href="${PATH}">${applications.all}</a></p></div></div>
${
  questions.length > 2 &&
  html`<form class="filters" method="get" action="${PATH}"><input type="hidden" name="petId" value="${id.toString()}">${status && html`<input type="hidden" name="status" value="${status}">`}
${selectField({ name: 'question', label: applications.compareBy, value: chosen, choices: questions })}
<div class="row"><button class="plain">${applications.show}</button></div></form>`
}
${cards.length === 0 ? html`<p class="card">${applications.noneOfStatus}</p>` : html`<div class="side-by-side">${cards}</div>`}`
  return consolePage(visit, { title, main })
}

/** All questions of the applications, for the choice of one to compare. The first choice shows everything. */
function questionsIn(
  found: readonly StoredApplication[],
  { applications }: Texts['console'],
): (readonly [string, string])[] {
  const questions = found.flatMap(({ personal }) => personal?.answers?.map((one) => one.question) ?? [])
  const hasMessage = found.some(({ personal }) => personal?.message !== undefined)
  return [
    ['', applications.everything],
    ...(hasMessage ? [[MESSAGE, applications.message] as const] : []),
    ...[...new Set(questions)].map((question) => [question, question] as const),
  ]
}

function decideLink(one: StoredApplication, visit: Visit): Html {
  const { applications } = visit.words
  const name = `${applications.toDecide}: ${applicantName(one, visit)}`
  return html`<p><a class="button plain" href="${PATH}/${one.id}#decide" aria-label="${name}">${applications.toDecide}</a></p>`
}

/** The questions of the caller's organization, or the list to choose one. */
async function questionsPath({ context, caller }: Visit): Promise<string> {
  const id = caller.organizationId ?? (await readOnlyOrganization(context))?.id
  return id === undefined ? `${PREFIX}/organizations` : tabPath(id, 'questions')
}
