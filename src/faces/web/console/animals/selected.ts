import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { seesInternalData } from '../../../../http/caller.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import * as requested from '../../../../pets/requested.ts'
import { HIDDEN, isKeptBack } from '../../../../pets/rules.ts'
import type { Pet, PetPatch } from '../../../../pets/schema.ts'
import * as pets from '../../../../pets/store.ts'
import type { Problem } from '../../forms.ts'
import { agree } from '../../gallery/phrases.ts'
import { type Texts, textsOf } from '../../texts/texts.ts'
import { returnPath, wholeNumberOf } from '../address.ts'
import { wordsFor } from '../frame.ts'
import { callerMay } from '../pages.ts'
import { LIST_PATH } from './filters.ts'
import { listPage } from './list.ts'
import { retryIfChanged } from './retry.ts'
import type { FailedAnimal, SelectedResult } from './selected-form.ts'

/** The maximum number of animals that one form changes. */
const MAX_SELECTED = 100
type Status = NonNullable<Pet['status']> | 'unlisted'

/** The statuses from which an action may change an animal, and the change. */
const MOVES: Record<string, { from: Status[]; patch: PetPatch; already: Status }> = {
  publish: { from: ['unlisted'], patch: { status: 'available' }, already: 'available' },
  reserve: { from: ['available', 'unlisted'], patch: { status: 'pending' }, already: 'pending' },
  unlist: { from: ['available', 'pending'], patch: HIDDEN, already: 'unlisted' },
}

/** Changes the animals that were selected in the list, each on its own. */
export function changeSelected(app: App, context: Context): void {
  app.post('/animals/selected', (request, reply) => change(context, request, reply))
}

async function change(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const form = request.body as FormBody
  const to = returnPath(form.get('to'), LIST_PATH)
  const { searchParams } = new URL(to, 'http://console.invalid')
  const ids = [...new Set(form.getAll('id').map(wholeNumberOf))].filter((id) => id !== undefined)
  const values = { action: '', tag: '', organizationId: '' }
  for (const name of Object.keys(values) as (keyof typeof values)[]) values[name] = readField(form, name)
  const problems = problemsOf(values, ids, request)
  const show = (status: number, result: Partial<SelectedResult>) => {
    reply.code(status)
    const whole = { values, problems, selected: ids, done: 0, failed: [], ...result }
    return listPage(context, request, Object.fromEntries(searchParams), whole)
  }
  if (problems.length > 0) return show(400, {})
  if (values.action === 'export')
    return reply.redirect(`${LIST_PATH}.csv?${ids.map((id) => `id=${id}`).join('&')}`, 303)
  const failed: FailedAnimal[] = []
  for (const id of ids) {
    const failure = await changeOne(context, request, id, values)
    if (failure) failed.push(failure)
  }
  if (failed.length > 0)
    return show(409, { selected: failed.map(({ id }) => id), done: ids.length - failed.length, failed })
  searchParams.set('done', 'selectedChanged')
  return reply.redirect(`${LIST_PATH}?${searchParams}`, 303)
}

function problemsOf(
  { action, tag, organizationId }: Record<'action' | 'tag' | 'organizationId', string>,
  ids: number[],
  request: FastifyRequest,
): Problem[] {
  const { list } = wordsFor(request).words
  const isKnown = Object.hasOwn(list.actions, action)
  const mayAssign = request.caller.organizationId === undefined && callerMay(request.caller, 'changeAnimals')
  const problems: (Problem | false)[] = [
    (ids.length === 0 || ids.length > MAX_SELECTED) && { field: 'action', message: list.noneSelected },
    (!isKnown || (action === 'assign' && !mayAssign)) && { field: 'action', message: list.noAction },
    action === 'tag' && tag === '' && { field: 'tag', message: list.noTag },
    action === 'assign' &&
      wholeNumberOf(organizationId) === undefined && {
        field: 'organizationId',
        message: list.noOrganization,
      },
  ]
  return problems.filter((problem) => problem !== false)
}

/** Changes one animal. @returns why it could not be changed */
async function changeOne(
  context: Context,
  request: FastifyRequest,
  id: number,
  values: Record<string, string>,
): Promise<FailedAnimal | undefined> {
  const { words, language } = wordsFor(request)
  const { view } = request.caller
  let name = String(id)
  const fail = (reason: string) => ({ id, name, reason })
  try {
    return await retryIfChanged(async () => {
      const stored = await pets.find(context.db, id)
      if (!stored || !seesInternalData(view, stored.owner)) throw new ApiError('pet_not_found')
      name = stored.pet.name
      const body = patchFor(stored.pet, values, textsOf(language))
      if (body === undefined) return undefined
      if (typeof body === 'string') return fail(body)
      const patch = body === HIDDEN ? body : await requested.readPatch(context, body)
      const target = { id, conditions: { view, 'if-match': validatorHeaders(stored, view).etag } }
      await requested.change(context, { caller: request.caller, key: undefined }, patch, target)
      return undefined
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    if (error.code === 'precondition_failed') return fail(words.list.changedMeanwhile)
    if (error.code === 'validation_failed') return fail(words.list.invalid)
    return fail(words.errors[error.code] ?? words.otherError)
  }
}

/** @returns the patch; undefined if there is nothing to change; a text if the animal must not be changed */
function patchFor(
  pet: Pet,
  { action = '', tag = '', organizationId }: Record<string, string>,
  texts: Texts,
): PetPatch | string | undefined {
  const { list, animals, animal } = texts.console
  if (action === 'tag') {
    const { tags = [] } = pet
    const isThere = tags.some((one) => one.toLowerCase() === tag.toLowerCase())
    return isThere ? undefined : { tags: [...tags, tag] }
  }
  if (action === 'assign') {
    if (pet.organizationId === Number(organizationId)) return undefined
    return pet.organizationId === undefined
      ? { organizationId: Number(organizationId) }
      : list.otherOrganization
  }
  const move = MOVES[action]
  const status = pet.status ?? 'unlisted'
  const { outcomeKind, holdReason } = pet.staff ?? {}
  const plain = holdReason ? animal.onHold : animals.statuses[status]
  const label = (outcomeKind ? animal.outcome.kinds[outcomeKind] : plain) ?? status
  if (outcomeKind === undefined && move?.already === status) return undefined
  if (isKeptBack(pet) || !move?.from.includes(status)) return list.notFrom(agree(texts, label, pet))
  return move.patch
}
