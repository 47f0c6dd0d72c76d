import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import type { DatedNote } from '../../../../pets/fields.ts'
import * as requested from '../../../../pets/requested.ts'
import type { Problem } from '../../forms.ts'
import { patchOf, readValues, type Values } from '../fields.ts'
import { wordsFor } from '../frame.ts'
import { runOnce } from '../once.ts'
import { PREFIX } from '../pages.ts'
import { OUTCOME_FIELDS, petProblems } from './form.ts'
import { fieldOf, markOf, NOTE_PARTS, noteProblems, notesPage } from './notes.ts'
import { DATE, KIND, NOTE } from './outcome.ts'
import { animalPage, type OwnAnimal, ownAnimal } from './page.ts'
import { retryIfChanged } from './retry.ts'

type ById = { Params: { id: string } }

/** The page of all notes about an animal, and the routes of the forms for notes and the outcome. */
export function carePages(app: App, context: Context): void {
  const path = '/animals/:id/notes'
  app.post<ById>('/animals/:id/outcome', (request: FastifyRequest, reply) =>
    saveOutcome(context, request, reply),
  )
  app.get<ById>(path, async (request: FastifyRequest) =>
    notesPage(request, (await ownAnimal(context, request)).pet),
  )
  app.post<ById>(path, (request: FastifyRequest, reply) => addNote(context, request, reply))
  app.post<ById>(`${path}/remove`, (request: FastifyRequest, reply) => removeNote(context, request, reply))
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
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 404) throw error
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
    const { view } = request.caller
    const notes = edit(stored.pet.staff?.datedNotes ?? [])
    const patch = await requested.readPatch(context, {
      staff: { datedNotes: notes.length > 0 ? notes : null },
    })
    const { etag } = validatorHeaders(stored, view)
    const target = { id: stored.id, conditions: { view, 'if-match': etag } }
    await runOnce(request, request.body as FormBody, (key) =>
      requested.change(context, { caller: request.caller, key }, patch, target),
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
    const patch = await requested.readPatch(context, body)
    const target = { id: stored.id, conditions: { view: request.caller.view } }
    await requested.change(context, { caller: request.caller, key: undefined }, patch, target)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return refuse(error.status, petProblems(error, words, { fields: OUTCOME_FIELDS }))
  }
  const done = isRemoved ? 'outcomeRemoved' : 'outcomeSaved'
  return reply.redirect(`${PREFIX}/animals/${stored.id}?done=${done}`, 303)
}
