import type { FastifyReply, FastifyRequest } from 'fastify'
import { ORDER_TRANSITIONS } from '../../../../applications/order-changes.ts'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { actorOf } from '../../../../http/caller.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { parseInt64 } from '../../../../http/int64.ts'
import type { OrderStatus } from '../../../../orders/schema.ts'
import { viewerOf } from '../../../../orders/store.ts'
import * as requested from '../../../../pets/requested.ts'
import type { StoredPet } from '../../../../pets/store.ts'
import { returnPath } from '../address.ts'
import { readValues, typedIn, type Values, valuesOf } from '../fields.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { runOnce } from '../once.ts'
import { PREFIX } from '../pages.ts'
import { changePhotos } from '../photos/photos.ts'
import { conflictPanel, FORM_FIELDS, petPatchOf, petProblems } from './form.ts'
import { animalPage, type OwnAnimal, ownAnimal } from './page.ts'
import { retryIfChanged } from './retry.ts'
import { withTypedAge } from './typed-age.ts'

type ById = { Params: { id: string } }

/** The page of an animal and the routes of its forms: details, photos, status, orders and removal. */
export function animalPages(app: App, context: Context): void {
  const path = '/animals/:id'
  app.get<ById>(path, async (request: FastifyRequest) =>
    animalPage(context, request, await ownAnimal(context, request)),
  )
  app.post<ById>(path, (request: FastifyRequest, reply) => save(context, request, reply))
  app.post<ById>(`${path}/status`, (request: FastifyRequest, reply) => changeStatus(context, request, reply))
  app.post(`${path}/orders/:orderId`, (request, reply) => decideOrder(context, request, reply))
  app.get<ById>(`${path}/delete`, async (request: FastifyRequest) =>
    removePage(request, await ownAnimal(context, request)),
  )
  app.post<ById>(`${path}/delete`, (request: FastifyRequest, reply) => remove(context, request, reply))
  changePhotos(app, context, {
    path,
    async owner(request) {
      const { id, photos } = await ownAnimal(context, request)
      return { owner: { kind: 'pet', id }, photos }
    },
    page: async (request, photoProblems) =>
      animalPage(context, request, await ownAnimal(context, request), { photoProblems }),
  })
}

/** Saves only the edited fields, so other people's changes to other fields are kept. */
async function save(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const form = request.body as FormBody
  const marks = form.get('marks') ?? ''
  const values = readValues(form, FORM_FIELDS)
  const typed = typedIn(values, marks, FORM_FIELDS)
  let stored: OwnAnimal | undefined
  const saveOnce = async (): Promise<unknown> => {
    stored = await ownAnimal(context, request)
    const { id, pet } = stored
    const now = valuesOf(pet, FORM_FIELDS)
    const { etag } = validatorHeaders(stored, request.caller.view)
    const done = (what: string) => reply.redirect(`${PREFIX}/animals/${id}?done=${what}`, 303)
    const patch = withTypedAge(petPatchOf(values, typed, now), context.clock())
    // If the same form is sent twice, the second request has nothing left to change.
    if (Object.keys(patch).length === 0) return done(Object.keys(typed).length > 0 ? 'saved' : 'unchanged')
    const changedByOthers = typedIn(now, marks, FORM_FIELDS)
    const isConflict = Object.keys(typed).some((name) => name in changedByOthers && typed[name] !== now[name])
    if (form.get('etag') !== etag && isConflict) return conflictPage(context, request, reply, typed)
    const change = await requested.readPatch(context, patch)
    const target = { id, conditions: { view: request.caller.view, 'if-match': etag } }
    await runOnce(request, form, (key) =>
      requested.change(context, { caller: request.caller, key }, change, target),
    )
    return done('saved')
  }
  try {
    return await retryIfChanged(saveOnce)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.code === 'pet_not_found' || !stored)
      throw error
    reply.code(error.status)
    const problems = petProblems(error, wordsFor(request).words, { values })
    const now = valuesOf(stored.pet, FORM_FIELDS)
    return animalPage(context, request, stored, { values: { ...now, ...typed }, problems })
  }
}

/**
 * The form after two people changed the animal. It has this person's texts in the edited fields, and the
 * other person's texts in all other fields.
 */
async function conflictPage(context: Context, request: FastifyRequest, reply: FastifyReply, typed: Values) {
  const { language } = wordsFor(request)
  const stored = await ownAnimal(context, request)
  const theirs = valuesOf(stored.pet, FORM_FIELDS)
  reply.code(412)
  return animalPage(context, request, stored, {
    values: { ...theirs, ...typed },
    conflict: conflictPanel(language, theirs, typed),
  })
}

/** Changes the status of an animal. */
async function changeStatus(context: Context, request: FastifyRequest, reply: FastifyReply) {
  const stored = await ownAnimal(context, request)
  const form = request.body as FormBody
  const status = form.get('status') ?? ''
  try {
    const patch = await requested.readPatch(context, { status })
    const target = { id: stored.id, conditions: { view: request.caller.view } }
    await requested.change(context, { caller: request.caller, key: undefined }, patch, target)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    reply.code(error.status)
    return animalPage(context, request, stored, { problems: petProblems(error, wordsFor(request).words) })
  }
  const to = returnPath(form.get('to'), `${PREFIX}/animals/${stored.id}`)
  const { pathname, searchParams } = new URL(to, 'http://console.invalid')
  searchParams.set('done', status)
  return reply.redirect(`${pathname}?${searchParams}`, 303)
}

/** Approves, completes or cancels an order. */
async function decideOrder(context: Context, request: FastifyRequest, reply: FastifyReply) {
  const stored = await ownAnimal(context, request)
  const id = parseInt64((request.params as { orderId: string }).orderId)
  const status = (request.body as FormBody).get('status') ?? ''
  if (id === undefined || !Object.hasOwn(ORDER_TRANSITIONS, status)) throw new ApiError('order_not_found')
  const decision = { ...viewerOf(request.caller), id, now: context.clock() }
  await context.write(changes.decideOrder, status as OrderStatus, decision)
  return reply.redirect(`${PREFIX}/animals/${stored.id}?done=${status}#orders`, 303)
}

async function remove(context: Context, request: FastifyRequest, reply: FastifyReply) {
  const listWith = (done: string) => reply.redirect(`${PREFIX}/animals?done=${done}`, 303)
  let stored: OwnAnimal | undefined
  try {
    stored = await ownAnimal(context, request)
    const by = actorOf(request.caller)
    await context.write(changes.deletePet, { id: stored.id, by, now: context.clock() })
    return listWith('deleted')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // On a double click, the second request finds no animal.
    if (error.code === 'pet_not_found') return listWith('gone')
    if (error.code !== 'order_open' || !stored) throw error
    reply.code(error.status)
    return removePage(request, stored, error)
  }
}

/** Asks for confirmation before an animal is removed. */
function removePage(request: FastifyRequest, { pet }: StoredPet, error?: ApiError): string {
  const { words } = wordsFor(request)
  const { animal } = words
  const title = animal.removeTitle(pet.name)
  return consolePage(request, {
    title,
    main: html`<div class="narrow"><h1>${title}</h1>
${error && html`<p class="summary problem" role="alert">${words.errors[error.code] ?? words.otherError}</p>`}
<p>${animal.removeHint}</p>
<form method="post" class="row"><button class="danger">${animal.removeYes}</button>
<a class="button plain" href="${PREFIX}/animals/${pet.id}">${animal.removeNo}</a></form></div>`,
  })
}
