import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import * as requested from '../../../../pets/requested.ts'
import { runOnce } from '../forms/once.ts'
import { readValues, touchedFields, type Values, valuesOf } from '../forms/values.ts'
import { wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { changePhotos } from '../photos/routes.ts'
import { FORM_FIELDS } from './fields.ts'
import { conflictPanel } from './form.ts'
import { type ById, ownAnimal } from './own.ts'
import { animalPage } from './page.ts'
import { petProblems } from './problems.ts'
import { petPatchOf } from './values.ts'

/** Shows an animal, and changes what was touched of it. */
export function editAnimal(app: App, context: Context): void {
  app.get<ById>('/animals/:id', async (request: FastifyRequest) =>
    animalPage(context, request, await ownAnimal(context, request)),
  )
  app.post<ById>('/animals/:id', (request: FastifyRequest, reply) => save(context, request, reply))
  changePhotos(app, context, {
    path: '/animals/:id',
    async owner(request) {
      const { id, photos } = await ownAnimal(context, request)
      return { owner: { kind: 'pet', id }, photos }
    },
    page: async (request, photoProblems) =>
      animalPage(context, request, await ownAnimal(context, request), { photoProblems }),
  })
}

/** So often somebody may be faster between the reading and the change. */
const MOST_TRIES = 3

async function save(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  tries = 1,
): Promise<unknown> {
  const stored = await ownAnimal(context, request)
  const form = request.body as FormBody
  const typed = typedIn(form)
  const { values, touched } = typed
  const now = valuesOf(stored.pet, FORM_FIELDS)
  const { etag } = validatorHeaders(stored, request.caller.view)
  const done = (what: string) => reply.redirect(`${PREFIX}/animals/${stored.id}?done=${what}`, 303)
  const patch = petPatchOf(values, touched, now)
  // What was sent twice is there already.
  if (Object.keys(patch).length === 0) return done(touched.size > 0 ? 'saved' : 'unchanged')
  if (form.get('etag') !== etag && changedByBoth(form, typed, now).length > 0) {
    reply.code(412)
    return conflictPage(context, request, typed)
  }
  try {
    const sent = await requested.readPatch(context, patch)
    const what = { id: stored.id, conditions: { view: request.caller.view, 'if-match': etag } }
    await runOnce(request, form, (key) =>
      requested.change(context, { caller: request.caller, key }, sent, what),
    )
    return done('saved')
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    if (error.code === 'precondition_failed' && tries < MOST_TRIES)
      return save(context, request, reply, tries + 1)
    reply.code(error.status)
    const { words } = wordsFor(request)
    const shown = { ...now, ...typedOf(typed) }
    return animalPage(context, request, stored, { values: shown, problems: petProblems(error, words) })
  }
}

function typedIn(form: FormBody): Typed {
  const values = readValues(form, FORM_FIELDS)
  return { values, touched: touchedFields(values, form.get('marks') ?? '', FORM_FIELDS) }
}

/** What was typed; all other fields may have changed meanwhile. */
const typedOf = ({ values, touched }: Typed): Values =>
  Object.fromEntries([...touched].map((name) => [name, values[name] ?? '']))

/** The fields in which somebody else has saved something else, since the form was shown. */
function changedByBoth(form: FormBody, { values, touched }: Typed, now: Values): string[] {
  const changed = touchedFields(now, form.get('marks') ?? '', FORM_FIELDS)
  return [...touched].filter((name) => changed.has(name) && values[name] !== now[name])
}

interface Typed {
  values: Values
  touched: ReadonlySet<string>
}

/** The form with what somebody typed, and with what somebody else has saved where this one typed nothing. */
async function conflictPage(context: Context, request: FastifyRequest, typed: Typed) {
  const { language } = wordsFor(request)
  const stored = await ownAnimal(context, request)
  const theirs = valuesOf(stored.pet, FORM_FIELDS)
  const yours = typedOf(typed)
  const names = Object.keys(yours).filter((name) => yours[name] !== theirs[name])
  return animalPage(context, request, stored, {
    values: { ...theirs, ...yours },
    conflict: conflictPanel(language, { theirs, yours, names }),
  })
}
