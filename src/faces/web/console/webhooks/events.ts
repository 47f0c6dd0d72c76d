import { listLatestEvents, readerOf } from '../../../../events/log.ts'
import { EVENT_TYPES, type Event } from '../../../../events/schema.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { findNames } from '../../../../pets/store.ts'
import { formatDateTime } from '../../formats.ts'
import { selectField } from '../../forms.ts'
import { readKinds } from '../choices.ts'
import { consolePage } from '../frame.ts'
import { PREFIX, type Routes, type Visit } from '../visit.ts'

const EVENTS = `${PREFIX}/events`
const MAX_SHOWN = 100

export function eventsPage({ get }: Routes): void {
  get('/events', page)
}

async function page(visit: Visit): Promise<string> {
  const { events: own } = visit.words
  const sent = visit.query.type
  const type = EVENT_TYPES.find((one) => one === sent)
  const found = await listLatestEvents(visit.db, readerOf(visit.caller), { type, limit: MAX_SHOWN })
  const names = await readNames(visit, found)
  const items = found.map((event) => listItem(event, names, visit))
  return consolePage(visit, {
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

async function readNames(visit: Visit, events: readonly Event[]): Promise<Names> {
  const own = events.filter((event) => isOwn(event, visit))
  const petIds = new Set(own.flatMap(({ data }) => data.petId ?? []))
  const animals = await findNames(visit.db, [...petIds])
  const kinds = await readKinds(visit)
  return {
    animals: new Map(animals.map(({ id, name }) => [id, name])),
    categories: new Map(kinds.map(({ id, words }) => [id, words])),
  }
}

/** Whether the caller may see names of the event. Staff of an organization see only names of their own. */
const isOwn = ({ organizationId }: Event, { caller }: Visit): boolean =>
  caller.organizationId === undefined || caller.organizationId === organizationId

function listItem(event: Event, names: Names, visit: Visit): Html {
  const { language, words } = visit
  const { type, at } = event
  return html`<li><div><b>${words.events.types[type]}</b> <small>${statusWords(event, visit)}</small>
<div>${subjectOf(event, names, visit)}</div></div>
<small><time datetime="${at}">${formatDateTime(language, Date.parse(at))}</time></small></li>`
}

/** The status before and after, in words. */
function statusWords({ type, data }: Event, { words: { animals, applications } }: Visit): Part {
  if (type !== 'pet.status_changed' && type !== 'application.decided') return undefined
  const statuses =
    data.petId !== undefined && type === 'pet.status_changed' ? animals.statuses : applications.statuses
  const { from = 'unlisted', to = 'unlisted' } = data.status ?? {}
  return `${statuses[from] ?? from} → ${statuses[to] ?? to}`
}

/** Names the subject of the event, with a link if the caller can open its page. */
function subjectOf(event: Event, { animals, categories }: Names, visit: Visit): Part {
  const { may } = visit
  const { events: own } = visit.words
  const { petId, applicationId, orderId, organizationId, categoryId } = event.data
  const mayOpen = isOwn(event, visit)
  const parts: Part[] = []
  if (applicationId !== undefined)
    parts.push(
      linkTo(
        mayOpen && may('seeAdopters') && `applications/${applicationId}`,
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
          may('changeOrganization') &&
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
