import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { listLatestEvents, readerOf } from '../../../../events/log.ts'
import { EVENT_TYPES, type Event } from '../../../../events/schema.ts'
import type { App } from '../../../../http/app.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { findNames } from '../../../../pets/store.ts'
import { formatDateTime } from '../../formats.ts'
import { selectField } from '../../forms.ts'
import { readKinds } from '../choices.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'

const EVENTS = `${PREFIX}/events`
const MAX_SHOWN = 100

/** The page of recent events. */
export function eventsPage(app: App, context: Context): void {
  app.get('/events', (request) => page(context, request))
}

async function page(context: Context, request: FastifyRequest): Promise<string> {
  const { db } = context
  const { events: own } = wordsFor(request).words
  const sent = (request.query as { type?: unknown }).type
  const type = EVENT_TYPES.find((one) => one === sent)
  const found = await listLatestEvents(db, readerOf(request.caller), { type, limit: MAX_SHOWN })
  const names = await readNames(context, request, found)
  const items = found.map((event) => listItem(event, names, request))
  return consolePage(request, {
    title: own.title,
    main: html`<h1>${own.title}</h1><p class="lead">${own.lead}</p>
<form class="filters" method="get" action="${EVENTS}">
${selectField({
  ...{ name: 'type', label: own.type, value: type ?? '' },
  choices: [['', own.all], ...EVENT_TYPES.map((one) => [one, own.types[one]] as const)],
})}
<div class="row"><button class="plain">${own.show}</button></div></form>
${items.length > 0 ? html`<ul class="rows">${items}</ul>` : html`<p class="card">${own.none}</p>`}`,
  })
}

interface Names {
  /** The names of animals that still exist and that the caller may see. */
  animals: ReadonlyMap<number, string>
  categories: ReadonlyMap<number, string>
}

async function readNames(
  context: Context,
  request: FastifyRequest,
  events: readonly Event[],
): Promise<Names> {
  const own = events.filter((event) => isOwn(event, request))
  const petIds = new Set(own.flatMap(({ data }) => data.petId ?? []))
  const animals = await findNames(context.db, [...petIds])
  const kinds = await readKinds(context, request)
  return {
    animals: new Map(animals.map(({ id, name }) => [id, name])),
    categories: new Map(kinds.map(({ id, words }) => [id, words])),
  }
}

/** Whether the caller may see names of the event. Staff of an organization see only names of their own. */
const isOwn = ({ organizationId }: Event, { caller }: FastifyRequest): boolean =>
  caller.organizationId === undefined || caller.organizationId === organizationId

function listItem(event: Event, names: Names, request: FastifyRequest): Html {
  const { language, words } = wordsFor(request)
  const { type, at } = event
  return html`<li><div><b>${words.events.types[type]}</b> <small>${statusWords(event, request)}</small>
<div>${subjectOf(event, names, request)}</div></div>
<small><time datetime="${at}">${formatDateTime(language, Date.parse(at))}</time></small></li>`
}

/** The status before and after, in words. */
function statusWords({ type, data }: Event, request: FastifyRequest): Part {
  if (type !== 'pet.status_changed' && type !== 'application.decided') return undefined
  const { animals, applications } = wordsFor(request).words
  const statuses =
    data.petId !== undefined && type === 'pet.status_changed' ? animals.statuses : applications.statuses
  const { from = 'unlisted', to = 'unlisted' } = data.status ?? {}
  return `${statuses[from] ?? from} → ${statuses[to] ?? to}`
}

/** Names the subject of the event, with a link if the caller can open its page. */
function subjectOf(event: Event, { animals, categories }: Names, request: FastifyRequest): Part {
  const { events: own } = wordsFor(request).words
  const { petId, applicationId, orderId, organizationId, categoryId } = event.data
  const mayOpen = isOwn(event, request)
  const parts: Part[] = []
  if (applicationId !== undefined)
    parts.push(
      linkTo(
        mayOpen && callerMay(request.caller, 'seeAdopters') && `applications/${applicationId}`,
        own.application(applicationId),
      ),
    )
  // The page of the animal shows its adoptions.
  if (orderId !== undefined)
    parts.push(
      linkTo(petId !== undefined && animals.has(petId) && `animals/${petId}#orders`, own.order(orderId)),
    )
  if (petId !== undefined) {
    const name = animals.get(petId)
    parts.push(linkTo(name !== undefined && `animals/${petId}`, name ?? own.animal(petId)))
  }
  if (parts.length === 0 && organizationId !== undefined)
    parts.push(
      linkTo(
        mayOpen &&
          callerMay(request.caller, 'changeOrganization') &&
          event.type !== 'organization.deleted' &&
          `organizations/${organizationId}`,
        own.organization(organizationId),
      ),
    )
  if (categoryId !== undefined) parts.push(categories.get(categoryId) ?? own.category(categoryId))
  return parts.map((part, index) => html`${index > 0 && ' · '}${part}`)
}

const linkTo = (path: string | false, text: string): Html =>
  path === false ? html`${text}` : html`<a href="${PREFIX}/${path}">${text}</a>`
