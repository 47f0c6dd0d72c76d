import type { FastifyReply, FastifyRequest } from 'fastify'
import { ORDER_TRANSITIONS } from '../../../../applications/order-changes.ts'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError, isRefusal } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { actorOf } from '../../../../http/caller.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { parseInt64 } from '../../../../http/int64.ts'
import type { OrderStatus } from '../../../../orders/schema.ts'
import { viewerOf } from '../../../../orders/store.ts'
import type { DatedNote } from '../../../../pets/fields.ts'
import { requireOwnAnimal, type StoredPet } from '../../../../pets/store.ts'
import type { Problem } from '../../forms.ts'
import { returnPath } from '../address.ts'
import { patchOf, readValues, typedIn, type Values, valuesOf } from '../fields.ts'
import { confirmPage, wordsFor } from '../frame.ts'
import { submitOnce } from '../once.ts'
import { PREFIX } from '../pages.ts'
import { changePhotos } from '../photos/photos.ts'
import { conflictPanel, FORM_FIELDS, OUTCOME_FIELDS, petPatchOf, petProblems, withTypedAge } from './form.ts'
import { PUBLISHED } from './gaps.ts'
import { fieldOf, markOf, NOTE_PARTS, noteProblems, notesPage } from './notes.ts'
import { changeAnimal, type OwnAnimal, ownAnimal, retryIfChanged, withBondIds } from './own-animal.ts'
import { animalPage, DATE, KIND, NOTE } from './page.ts'

/** The page of an animal and the routes of its forms: details, photos, status, orders and removal. */
export function animalPages(app: App, context: Context): void {
  const path = '/animals/:id'
  app.get(path, async (request) => animalPage(context, request, await ownAnimal(context, request)))
  app.post(path, (request, reply) => save(context, request, reply))
  app.post(`${path}/status`, (request, reply) => changeStatus(context, request, reply))
  app.post(`${path}/orders/:orderId`, (request, reply) => decideOrder(context, request, reply))
  app.get(`${path}/delete`, async (request) => removePage(request, await ownAnimal(context, request)))
  app.post(`${path}/delete`, (request, reply) => remove(context, request, reply))
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
  const values = await withBondIds(context, request, readValues(form, FORM_FIELDS))
  const typed = typedIn(values, marks, FORM_FIELDS)
  let stored: OwnAnimal | undefined
  const saveOnce = async (): Promise<unknown> => {
    const own = await ownAnimal(context, request)
    requireOwnAnimal(own.row)
    stored = own
    const { id, pet } = own
    const now = valuesOf(pet, FORM_FIELDS)
    const { etag } = validatorHeaders(own, request.caller.view)
    const done = (what: string) => reply.redirect(`${PREFIX}/animals/${id}?done=${what}`, 303)
    const patch = withTypedAge(petPatchOf(values, typed, now), context.clock())
    // If the same form is sent twice, the second request has nothing left to change.
    if (Object.keys(patch).length === 0) return done(Object.keys(typed).length > 0 ? 'saved' : 'unchanged')
    const changedByOthers = typedIn(now, marks, FORM_FIELDS)
    const isConflict = Object.keys(typed).some((name) => name in changedByOthers && typed[name] !== now[name])
    if (form.get('etag') !== etag && isConflict) return conflictPage(context, request, reply, typed)
    await submitOnce(request, form, (key) =>
      changeAnimal(context, request, own, patch, { isStrict: true, key }),
    )
    return done('saved')
  }
  try {
    return await retryIfChanged(saveOnce)
  } catch (error) {
    if (!isRefusal(error) || error.code === 'pet_not_found' || !stored) throw error
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
    await changeAnimal(context, request, stored, { status })
  } catch (error) {
    if (!isRefusal(error)) throw error
    reply.code(error.status)
    return animalPage(context, request, stored, { problems: petProblems(error, wordsFor(request).words) })
  }
  const to = returnPath(form.get('to'), `${PREFIX}/animals/${stored.id}`)
  const { pathname, searchParams } = new URL(to, 'http://console.invalid')
  searchParams.set('done', status)
  if (form.has('to')) searchParams.set(PUBLISHED, String(stored.id))
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
  const problem =
    error && html`<p class="summary problem" role="alert">${words.errors[error.code] ?? words.otherError}</p>`
  return confirmPage(request, {
    title: animal.removeTitle(pet.name),
    text: html`${problem}<p>${animal.removeHint}</p>`,
    yes: animal.removeYes,
    back: `${PREFIX}/animals/${pet.id}`,
  })
}

/** The page of all notes about an animal, and the routes of the forms for notes and the outcome. */
export function carePages(app: App, context: Context): void {
  const path = '/animals/:id/notes'
  app.post('/animals/:id/outcome', (request, reply) => saveOutcome(context, request, reply))
  app.get(path, async (request) => notesPage(request, (await ownAnimal(context, request)).pet))
  app.post(path, (request, reply) => addNote(context, request, reply))
  app.post(`${path}/remove`, (request, reply) => removeNote(context, request, reply))
}

async function addNote(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const form = request.body as FormBody
  const values = Object.fromEntries(
    NOTE_PARTS.map((part) => [part, readField(form, fieldOf(part))]),
  ) as Values
  try {
    const { id } = await changeNotes(context, request, (notes) => [...notes, values as unknown as DatedNote])
    return reply.redirect(`${PREFIX}/animals/${id}?done=noteAdded#notes`, 303)
  } catch (error) {
    if (!isRefusal(error) || error.status === 404) throw error
    reply.code(error.status)
    const stored = await ownAnimal(context, request)
    const problems = noteProblems(error, request, stored.pet, values)
    return animalPage(context, request, stored, { note: { values, problems } })
  }
}

async function removeNote(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const mark = (request.body as FormBody).get('note')
  const { id } = await changeNotes(context, request, (notes) => {
    const index = notes.findIndex((note) => markOf(note) === mark)
    return index < 0 ? notes : notes.toSpliced(index, 1)
  })
  return reply.redirect(`${PREFIX}/animals/${id}/notes?done=noteRemoved`, 303)
}

/** Changes the notes as they are stored at that moment, so notes of others are kept. */
function changeNotes(
  context: Context,
  request: FastifyRequest,
  edit: (notes: DatedNote[]) => DatedNote[],
): Promise<OwnAnimal> {
  return retryIfChanged(async () => {
    const stored = await ownAnimal(context, request)
    const notes = edit(stored.pet.staff?.datedNotes ?? [])
    const body = { staff: { datedNotes: notes.length > 0 ? notes : null } }
    await submitOnce(request, request.body as FormBody, (key) =>
      changeAnimal(context, request, stored, body, { isStrict: true, key }),
    )
    return stored
  })
}

/** Records how an animal left, or removes this outcome. */
async function saveOutcome(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const stored = await ownAnimal(context, request)
  const form = request.body as FormBody
  const isRemoved = form.has('remove')
  const values = isRemoved ? { [KIND]: '', [DATE]: '', [NOTE]: '' } : readValues(form, OUTCOME_FIELDS)
  const { words } = wordsFor(request)
  const refuse = (status: number, problems: Problem[]) => {
    reply.code(status)
    return animalPage(context, request, stored, { outcome: { values, problems } })
  }
  if (!isRemoved && values[KIND] === '') {
    const { labels, problems } = words.animal.fields
    return refuse(400, [{ field: KIND, message: problems.missing(labels[KIND] ?? '') }])
  }
  try {
    const body = patchOf(values, new Set(Object.keys(values)), OUTCOME_FIELDS)
    await changeAnimal(context, request, stored, body)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return refuse(error.status, petProblems(error, words, { fields: OUTCOME_FIELDS }))
  }
  const done = isRemoved ? 'outcomeRemoved' : 'outcomeSaved'
  return reply.redirect(`${PREFIX}/animals/${stored.id}?done=${done}`, 303)
}
