import type { FastifyRequest } from 'fastify'
import type { ApplicationStatus } from '../../../../applications/schema.ts'
import { list, waiting } from '../../../../applications/search.ts'
import type { Stored } from '../../../../applications/store.ts'
import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { makeCursor, readCursor } from '../../../../http/cursor.ts'
import { type Html, html } from '../../../../http/html.ts'
import { int64 } from '../../../../http/int64.ts'
import { viewerOf } from '../../../../orders/store.ts'
import { selectField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { comparePage } from './compare.ts'
import { animalsOf, type Named, nameOf } from './names.ts'
import { applicantName, stateLine } from './sent.ts'

export const APPLICATIONS_PATH = `${PREFIX}/applications`
const PAGE = 25

/** Who waits for a decision, animal by animal; or all for one of them, side by side. */
export function queuePage(app: App, context: Context): void {
  app.get('/applications', (request) => {
    const { petId, status } = request.query as Record<string, unknown>
    const id = typeof petId === 'string' ? int64(petId) : undefined
    const asked = statusIn(status, wordsFor(request).words)
    return id === undefined
      ? page(context, request, asked)
      : comparePage(context, request, { id, status: asked })
  })
}

function statusIn(value: unknown, { applications }: Texts['console']): ApplicationStatus | undefined {
  return Object.hasOwn(applications.statuses, String(value)) ? (value as ApplicationStatus) : undefined
}

async function page(
  context: Context,
  request: FastifyRequest,
  status: ApplicationStatus | undefined,
): Promise<string> {
  const { words } = wordsFor(request)
  const { applications, questions } = words
  const { cursor } = request.query as { cursor?: unknown }
  const scope = JSON.stringify(['console applications', request.caller.view, status])
  const after =
    typeof cursor === 'string' ? readCursor<[number]>(context.cursorSecret, scope, cursor)[0] : undefined
  const viewer = viewerOf(request.caller)
  const found = status
    ? await list(context.db, { status, limit: PAGE, after }, viewer)
    : await waiting(context.db, { limit: PAGE, after }, viewer)
  const shown = found.slice(0, PAGE)
  const last = found.length > PAGE ? shown.at(-1) : undefined
  const animals = await animalsOf(
    context,
    shown.map(({ petId }) => petId),
  )
  const next = last && makeCursor(context.cursorSecret, scope, [last.id])
  const main = html`<div class="head"><h1>${applications.title}</h1>
${callerMay(request.caller, 'changeOrganization') && html`<a class="button plain" href="${PREFIX}/organization/questions">${questions.title}</a>`}</div>
${statusForm(status, words)}
${shown.length === 0 && html`<p class="card">${status ? applications.noneOfStatus : applications.none}</p>`}
${byAnimal(shown).map((group) => animalGroup(group, animals, request, context.clock()))}
${pager({ status, next, isFirst: after === undefined }, words)}`
  return consolePage(request, { title: applications.title, main })
}

export function statusForm(status: ApplicationStatus | undefined, { applications }: Texts['console']): Html {
  const choices = [['', applications.waiting] as const, ...Object.entries(applications.statuses)]
  return html`<form class="filters" method="get" action="${APPLICATIONS_PATH}" role="search">
${selectField({ name: 'status', label: applications.status, value: status, choices })}
<div class="row"><button class="plain">${applications.show}</button></div></form>`
}

/** Of each animal those that were found, the animals in the order of their first one. */
function byAnimal(found: readonly Stored[]): Stored[][] {
  const groups = new Map<number, Stored[]>()
  for (const one of found) groups.set(one.petId, [...(groups.get(one.petId) ?? []), one])
  return [...groups.values()]
}

function animalGroup(
  group: readonly Stored[],
  animals: ReadonlyMap<number, Named>,
  request: FastifyRequest,
  now: number,
): Html {
  const { words } = wordsFor(request)
  const { applications } = words
  const petId = group[0]?.petId ?? 0
  const name = nameOf(animals, petId, words)
  const isThere = animals.has(petId)
  return html`<section class="card" aria-labelledby="of-${petId}"><div class="head"><h2 id="of-${petId}">${
    isThere ? html`<a href="${PREFIX}/animals/${petId}">${name}</a>` : name
  }</h2>
<a class="button plain" href="${APPLICATIONS_PATH}?petId=${petId}" aria-label="${applications.compare(group.length)}: ${applications.forAnimal(name)}">${applications.compare(group.length)}</a></div>
<ul class="history">${group.map(
    (one) =>
      html`<li><p><a href="${APPLICATIONS_PATH}/${one.id}">${applicantName(one, request)}</a> ${stateLine(one, request, now)}</p></li>`,
  )}</ul></section>`
}

interface Paging {
  status: ApplicationStatus | undefined
  next: string | undefined
  isFirst: boolean
}

function pager({ status, next, isFirst }: Paging, { applications }: Texts['console']): Html {
  const to = (more: Record<string, string>): string =>
    `${APPLICATIONS_PATH}?${new URLSearchParams({ ...(status && { status }), ...more })}`
  return html`<p class="pager">${!isFirst && html`<a class="button plain" href="${to({})}">${applications.first}</a>`}
${next !== undefined && html`<a class="button plain" rel="next" href="${to({ cursor: next })}">${applications.next}</a>`}</p>`
}
