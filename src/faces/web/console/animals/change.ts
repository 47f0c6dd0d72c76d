import { ORDER_TRANSITIONS } from '../../../../applications/order-changes.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError, isRefusal } from '../../../../errors.ts'
import { actorOf } from '../../../../http/caller.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import { readField } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { parseInt64 } from '../../../../http/int64.ts'
import type { OrderStatus } from '../../../../orders/schema.ts'
import { viewerOf } from '../../../../orders/store.ts'
import type { DatedNote } from '../../../../pets/fields.ts'
import { requireNoCopy, type StoredPet } from '../../../../pets/store.ts'
import type { Problem } from '../../forms.ts'
import { patchOf, readValues, typedIn, type Values, valuesOf } from '../fields.ts'
import { confirmPage } from '../frame.ts'
import { changePhotos } from '../photos/photos.ts'
import { PREFIX, type Routes, returnPath, submitOnce, type Visit } from '../visit.ts'
import { conflictPanel, FORM_FIELDS, OUTCOME_FIELDS, petPatchOf, petProblems, withTypedAge } from './form.ts'
import { PUBLISHED } from './gaps.ts'
import { fieldOf, markOf, NOTE_PARTS, noteProblems, notesPage } from './notes.ts'
import { changeAnimal, type OwnAnimal, ownAnimal, retryIfChanged, withBondIds } from './own-animal.ts'
import { animalPage, DATE, KIND, NOTE } from './page.ts'

/** The page of an animal and the routes of its forms: details, photos, status, orders and removal. */
export function animalPages(routes: Routes): void {
  const { get, post } = routes
  const path = '/animals/:id'
  get(path, async (visit) => animalPage(visit, await ownAnimal(visit)))
  post(path, save)
  post(`${path}/status`, changeStatus)
  post(`${path}/orders/:orderId`, decideOrder)
  get(`${path}/delete`, async (visit) => removePage(visit, await ownAnimal(visit)))
  post(`${path}/delete`, remove)
  changePhotos(routes, {
    path,
    async owner(visit) {
      const { id, photos } = await ownAnimal(visit)
      return { owner: { kind: 'pet', id }, photos }
    },
    page: async (visit, photoProblems) => animalPage(visit, await ownAnimal(visit), { photoProblems }),
  })
}

/** Saves only the edited fields, so other people's changes to other fields are kept. */
async function save(visit: Visit): Promise<unknown> {
  const { reply, form } = visit
  const marks = form.get('marks') ?? ''
  const values = await withBondIds(visit, readValues(form, FORM_FIELDS))
  const typed = typedIn(values, marks, FORM_FIELDS)
  let stored: OwnAnimal | undefined
  const saveOnce = async (): Promise<unknown> => {
    const own = await ownAnimal(visit)
    requireNoCopy(own.row)
    stored = own
    const { id, pet } = own
    const now = valuesOf(pet, FORM_FIELDS)
    const { etag } = validatorHeaders(own, visit.caller.view)
    const done = (what: string) => reply.redirect(`${PREFIX}/animals/${id}?done=${what}`, 303)
    const patch = withTypedAge(petPatchOf(values, typed, now), visit.clock())
    // If the same form is sent twice, the second request has nothing left to change.
    if (Object.keys(patch).length === 0) return done(Object.keys(typed).length > 0 ? 'saved' : 'unchanged')
    const changedByOthers = typedIn(now, marks, FORM_FIELDS)
    const isConflict = Object.keys(typed).some((name) => name in changedByOthers && typed[name] !== now[name])
    if (form.get('etag') !== etag && isConflict) return conflictPage(visit, typed)
    await submitOnce(visit, form, (key) => changeAnimal(visit, own, patch, { isStrict: true, key }))
    return done('saved')
  }
  try {
    return await retryIfChanged(saveOnce)
  } catch (error) {
    if (!isRefusal(error) || error.code === 'pet_not_found' || !stored) throw error
    reply.code(error.status)
    const problems = petProblems(error, visit.words, { values })
    const now = valuesOf(stored.pet, FORM_FIELDS)
    return animalPage(visit, stored, { values: { ...now, ...typed }, problems })
  }
}

/**
 * The form after two people changed the animal. It has this person's texts in the edited fields, and the
 * other person's texts in all other fields.
 */
async function conflictPage(visit: Visit, typed: Values) {
  const stored = await ownAnimal(visit)
  const theirs = valuesOf(stored.pet, FORM_FIELDS)
  visit.reply.code(412)
  return animalPage(visit, stored, {
    values: { ...theirs, ...typed },
    conflict: conflictPanel(visit.language, theirs, typed),
  })
}

async function changeStatus(visit: Visit) {
  const { reply, form } = visit
  const stored = await ownAnimal(visit)
  const status = form.get('status') ?? ''
  try {
    await changeAnimal(visit, stored, { status })
  } catch (error) {
    if (!isRefusal(error)) throw error
    reply.code(error.status)
    return animalPage(visit, stored, { problems: petProblems(error, visit.words) })
  }
  const to = returnPath(form.get('to'), `${PREFIX}/animals/${stored.id}`)
  const { pathname, searchParams } = new URL(to, 'http://console.invalid')
  searchParams.set('done', status)
  if (form.has('to')) searchParams.set(PUBLISHED, String(stored.id))
  return reply.redirect(`${pathname}?${searchParams}`, 303)
}

/** Approves, completes or cancels an order. */
async function decideOrder(visit: Visit) {
  const stored = await ownAnimal(visit)
  const id = parseInt64(visit.params.orderId)
  const status = visit.form.get('status') ?? ''
  if (id === undefined || !Object.hasOwn(ORDER_TRANSITIONS, status)) throw new ApiError('order_not_found')
  const decision = { ...viewerOf(visit.caller), id, now: visit.clock() }
  await visit.write(changes.decideOrder, status as OrderStatus, decision)
  return visit.reply.redirect(`${PREFIX}/animals/${stored.id}?done=${status}#orders`, 303)
}

async function remove(visit: Visit) {
  const { reply } = visit
  const listWith = (done: string) => reply.redirect(`${PREFIX}/animals?done=${done}`, 303)
  let stored: OwnAnimal | undefined
  try {
    stored = await ownAnimal(visit)
    const by = actorOf(visit.caller)
    await visit.write(changes.deletePet, { id: stored.id, by, now: visit.clock() })
    return listWith('deleted')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // On a double click, the second request finds no animal.
    if (error.code === 'pet_not_found') return listWith('gone')
    if (error.code !== 'order_open' || !stored) throw error
    reply.code(error.status)
    return removePage(visit, stored, error)
  }
}

/** Asks for confirmation before an animal is removed. */
function removePage(visit: Visit, { pet }: StoredPet, error?: ApiError): string {
  const { words } = visit
  const { animal } = words
  const problem =
    error && html`<p class="summary problem" role="alert">${words.errors[error.code] ?? words.otherError}</p>`
  return confirmPage(visit, {
    title: animal.removeTitle(pet.name),
    text: html`${problem}<p>${animal.removeHint}</p>`,
    yes: animal.removeYes,
    back: `${PREFIX}/animals/${pet.id}`,
  })
}

/** The page of all notes about an animal, and the routes of the forms for notes and the outcome. */
export function carePages({ get, post }: Routes): void {
  const path = '/animals/:id/notes'
  post('/animals/:id/outcome', saveOutcome)
  get(path, async (visit) => notesPage(visit, (await ownAnimal(visit)).pet))
  post(path, addNote)
  post(`${path}/remove`, removeNote)
}

async function addNote(visit: Visit): Promise<unknown> {
  const { reply, form } = visit
  const values = Object.fromEntries(
    NOTE_PARTS.map((part) => [part, readField(form, fieldOf(part))]),
  ) as Values
  try {
    const { id } = await changeNotes(visit, (notes) => [...notes, values as unknown as DatedNote])
    return reply.redirect(`${PREFIX}/animals/${id}?done=noteAdded#notes`, 303)
  } catch (error) {
    if (!isRefusal(error) || error.status === 404) throw error
    reply.code(error.status)
    const stored = await ownAnimal(visit)
    const problems = noteProblems(error, visit, stored.pet, values)
    return animalPage(visit, stored, { note: { values, problems } })
  }
}

async function removeNote(visit: Visit): Promise<unknown> {
  const mark = visit.form.get('note')
  const { id } = await changeNotes(visit, (notes) => {
    const index = notes.findIndex((note) => markOf(note) === mark)
    return index < 0 ? notes : notes.toSpliced(index, 1)
  })
  return visit.reply.redirect(`${PREFIX}/animals/${id}/notes?done=noteRemoved`, 303)
}

/** Changes the notes as they are stored at that moment, so notes of others are kept. */
function changeNotes(visit: Visit, edit: (notes: DatedNote[]) => DatedNote[]): Promise<OwnAnimal> {
  return retryIfChanged(async () => {
    const stored = await ownAnimal(visit)
    const notes = edit(stored.pet.staff?.datedNotes ?? [])
    const body = { staff: { datedNotes: notes.length > 0 ? notes : null } }
    await submitOnce(visit, visit.form, (key) => changeAnimal(visit, stored, body, { isStrict: true, key }))
    return stored
  })
}

/** Records how an animal left, or removes this outcome. */
async function saveOutcome(visit: Visit): Promise<unknown> {
  const { reply, form, words } = visit
  const stored = await ownAnimal(visit)
  const isRemoved = form.has('remove')
  const values = isRemoved ? { [KIND]: '', [DATE]: '', [NOTE]: '' } : readValues(form, OUTCOME_FIELDS)
  const refuse = (status: number, problems: Problem[]) => {
    reply.code(status)
    return animalPage(visit, stored, { outcome: { values, problems } })
  }
  if (!isRemoved && values[KIND] === '') {
    const { labels, problems } = words.animal.fields
    return refuse(400, [{ field: KIND, message: problems.missing(labels[KIND] ?? '') }])
  }
  try {
    const body = patchOf(values, new Set(Object.keys(values)), OUTCOME_FIELDS)
    await changeAnimal(visit, stored, body)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return refuse(error.status, petProblems(error, words, { fields: OUTCOME_FIELDS }))
  }
  const done = isRemoved ? 'outcomeRemoved' : 'outcomeSaved'
  return reply.redirect(`${PREFIX}/animals/${stored.id}?done=${done}`, 303)
}
