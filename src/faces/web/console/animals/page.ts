import type { FastifyRequest } from 'fastify'
import { DECISIONS } from '../../../../applications/order-changes.ts'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import { seesWhole } from '../../../../http/caller.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import { type Html, html } from '../../../../http/html.ts'
import { int64 } from '../../../../http/int64.ts'
import type { Order } from '../../../../orders/schema.ts'
import { list, viewerOf } from '../../../../orders/store.ts'
import type { PetStatus } from '../../../../pets/fields.ts'
import type { Pet } from '../../../../pets/schema.ts'
import * as pets from '../../../../pets/store.ts'
import { MOVES } from '../../../../pets/transition.ts'
import { dayIn } from '../../dates.ts'
import type { Problem } from '../../forms.ts'
import { mailLink } from '../../mail-link.ts'
import type { Texts } from '../../texts/texts.ts'
import { readChoices } from '../choices.ts'
import { marksOf, NON_FIELD, type Values, valuesOf } from '../fields.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { newOnce, ONCE } from '../once.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { photosSection } from '../photos/photos.ts'
import { animalForm, FORM_FIELDS } from './form.ts'
import { historySection } from './history.ts'

const MAX_ORDERS = 20

/** A stored animal with its exact id. */
export type OwnAnimal = pets.StoredPet & { id: number }

/** The animal in an address. @throws {ApiError} pet_not_found, also for an animal of another organization */
export async function ownAnimal(
  { db }: Pick<Context, 'db'>,
  { params, caller }: FastifyRequest,
): Promise<OwnAnimal> {
  const id = int64((params as { id: string }).id)
  const stored = id === undefined ? undefined : await pets.find(db, id)
  if (id === undefined || !stored || !seesWhole(caller.view, stored.owner))
    throw new ApiError('pet_not_found')
  return { ...stored, id }
}

/** The rest of the page after a form was refused. */
interface Refusal {
  /** The texts of the form; those of the stored animal when absent. */
  values?: Values
  problems?: readonly Problem[]
  conflict?: Html
  photoProblems?: readonly string[]
}

/** Everything about one animal. */
export async function animalPage(
  context: Context,
  request: FastifyRequest,
  stored: OwnAnimal,
  refusal: Refusal = {},
): Promise<string> {
  const { words } = wordsFor(request)
  const { pet } = stored
  const { sections } = words.animal
  const mayChange = callerMay(request.caller, 'changeAnimals')
  const path = `${PREFIX}/animals/${pet.id}`
  const photographed = { path, name: pet.name, photos: stored.photos, mayChange }
  const photos = photosSection(context.config, request, photographed, refusal.photoProblems)
  const details = html`<section class="card" aria-labelledby="details"><h2 id="details">${sections.details}</h2>
${await detailsForm(context, request, stored, refusal)}</section>`
  const main = html`${head(request, stored, refusal)}
${await ordersSection(context, request, pet.id)}
${refusal.values ? [details, photos] : [photos, details]}
${await historySection(context, request, stored)}
${mayChange && html`<p class="end"><a class="danger" href="${path}/delete">${words.animal.remove}</a></p>`}`
  return consolePage(request, { title: pet.name, main, scripts: ['photos.js'] })
}

function head(request: FastifyRequest, { pet }: pets.StoredPet, { values, problems = [] }: Refusal): Html {
  const { words } = wordsFor(request)
  const status = pet.status ?? 'unlisted'
  const isInGallery = status === 'available' || status === 'pending'
  const general = values ? undefined : problems.find(({ field }) => field === NON_FIELD)
  return html`<div class="head"><div><h1>${pet.name}</h1>
<p>${statusTag(status, words)} ${words.animals.why[status]}
${isInGallery && html`<a href="/animals/${pet.id}">${words.animal.inGallery}</a>`}</p></div>
${callerMay(request.caller, 'changeAnimals') && statusButtons(pet, words)}</div>
${general && html`<p class="summary problem" role="alert">${general.message}</p>`}`
}

export const statusTag = (status: string, words: Texts['console']): Html =>
  html`<span class="tag ${status}">${words.animals.statuses[status]}</span>`

/** A button for each status that can follow. */
function statusButtons({ id, status }: Pick<Pet, 'id' | 'status'>, words: Texts['console']): Html {
  const next: readonly PetStatus[] = status ? MOVES[status] : ['available']
  const buttons = next.map(
    (to) =>
      html`<button name="status" value="${to}"${status && html` class="plain"`}>${
        status ? words.animal.moves[to] : words.animal.publish
      }</button>`,
  )
  return html`<form class="row" method="post" action="${PREFIX}/animals/${id}/status">${buttons}</form>`
}

async function detailsForm(
  context: Context,
  request: FastifyRequest,
  stored: pets.StoredPet,
  { values, problems = [], conflict }: Refusal,
): Promise<Html> {
  const { language, words } = wordsFor(request)
  const now = valuesOf(stored.pet, FORM_FIELDS)
  const { etag } = validatorHeaders(stored, request.caller.view)
  const mayChange = callerMay(request.caller, 'changeAnimals')
  return animalForm(`${PREFIX}/animals/${stored.pet.id}`, {
    ...{ language, values: values ?? now, problems: values ? problems : [] },
    choices: await readChoices(context, request),
    hidden: { [ONCE]: newOnce(), etag, marks: marksOf(now, FORM_FIELDS) },
    isReadOnly: !mayChange,
    before: conflict,
    after: mayChange && html`<div class="actions"><button>${words.animal.save}</button></div>`,
  })
}

/** The people who want the animal, or have it. */
async function ordersSection(
  { db }: Context,
  request: FastifyRequest,
  petId: number,
): Promise<Html | undefined> {
  const { caller } = request
  if (!callerMay(caller, 'seeAdopters')) return undefined
  const orders = await list(db, { petId, limit: MAX_ORDERS }, viewerOf(caller))
  if (orders.length === 0) return undefined
  const { sections } = wordsFor(request).words.animal
  return html`<section class="card" id="orders" aria-labelledby="of-orders"><h2 id="of-orders">${sections.orders}</h2>
<ul class="history">${orders.map((order) => orderItem(order, petId, request))}</ul></section>`
}

function orderItem({ id, status, adopter, placedAt }: Order, petId: number, request: FastifyRequest): Html {
  const { language, words } = wordsFor(request)
  const { orders } = words.animal
  const buttons = orderButtons(status, words)
  return html`<li><p><strong>${adopter?.name ?? orders.erased}</strong> <span class="tag">${orders.statuses[status]}</span>
<time datetime="${placedAt}">${dayIn(language, Date.parse(placedAt))}</time></p>
${adopter && html`<p>${mailLink(adopter.email)} ${adopter.phone}</p>`}
${adopter?.message && html`<p class="said">${adopter.message}</p>`}
${
  buttons.length > 0 &&
  callerMay(request.caller, 'decideOrders') &&
  html`<form class="row" method="post" action="${PREFIX}/animals/${petId}/orders/${id}">${buttons}</form>`
}</li>`
}

/** A button for each decision that can follow. */
export function orderButtons(status: Order['status'], { animal }: Texts['console']): Html[] {
  return DECISIONS[status].map(
    (to) =>
      html`<button name="status" value="${to}"${to === 'cancelled' && html` class="plain"`}>${animal.orders.decisions[to]}</button>`,
  )
}
