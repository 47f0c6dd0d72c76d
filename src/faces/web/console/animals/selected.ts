import { isRefusal } from '../../../../errors.ts'
import { readField } from '../../../../http/form-body.ts'
import { wholeNumberOf } from '../../../../http/int64.ts'
import { HIDDEN, isKeptBack } from '../../../../pets/rules.ts'
import type { Pet, PetPatch } from '../../../../pets/schema.ts'
import type { Problem } from '../../forms.ts'
import { agree } from '../../gallery/phrases.ts'
import type { Texts } from '../../texts/texts.ts'
import { idsIn, type Routes, returnPath, type Visit } from '../visit.ts'
import { LIST_PATH } from './filters.ts'
import { PUBLISHED } from './gaps.ts'
import { type FailedAnimal, HOLD, listPage, type SelectedResult } from './list.ts'
import { changeAnimal, ownAnimal, retryIfChanged } from './own-animal.ts'

/** The maximum number of animals that one form changes. */
const MAX_SELECTED = 100
type Status = NonNullable<Pet['status']> | 'unlisted'

/** The statuses from which an action may change an animal, and the change. A hold also needs its reason. */
const MOVES: Record<string, { from: Status[]; patch: PetPatch; already?: Status }> = {
  publish: { from: ['unlisted'], patch: { status: 'available' }, already: 'available' },
  reserve: { from: ['available', 'unlisted'], patch: { status: 'pending' }, already: 'pending' },
  hold: { from: ['available', 'pending', 'unlisted'], patch: {} },
  unlist: { from: ['available', 'pending'], patch: HIDDEN, already: 'unlisted' },
}

/** Changes the animals that were selected in the list, each on its own. */
export function changeSelected({ post }: Routes): void {
  post('/animals/selected', change)
}

async function change(visit: Visit): Promise<unknown> {
  const { reply, form } = visit
  const to = returnPath(form.get('to'), LIST_PATH)
  const { searchParams } = new URL(to, 'http://console.invalid')
  const ids = idsIn(form.getAll('id'))
  const values = { action: '', tag: '', organizationId: '', [HOLD]: '' }
  for (const name of Object.keys(values) as (keyof typeof values)[]) values[name] = readField(form, name)
  const problems = problemsOf(values, ids, visit)
  const show = (status: number, result: Partial<SelectedResult>) => {
    reply.code(status)
    const whole = { values, problems, selected: ids, done: 0, published: [], failed: [], ...result }
    return listPage(visit, Object.fromEntries(searchParams), whole)
  }
  if (problems.length > 0) return show(400, {})
  if (values.action === 'export')
    return reply.redirect(`${LIST_PATH}.csv?${ids.map((id) => `id=${id}`).join('&')}`, 303)
  const failed: FailedAnimal[] = []
  const done: number[] = []
  for (const id of ids) {
    const failure = await changeOne(visit, id, values)
    if (failure) failed.push(failure)
    else done.push(id)
  }
  // Animals with a status are in the gallery.
  const published = MOVES[values.action]?.patch.status ? done : []
  if (failed.length > 0)
    return show(409, { selected: failed.map(({ id }) => id), done: done.length, published, failed })
  searchParams.set('done', 'selectedChanged')
  for (const id of published) searchParams.append(PUBLISHED, String(id))
  return reply.redirect(`${LIST_PATH}?${searchParams}`, 303)
}

function problemsOf(
  { action = '', tag, organizationId, [HOLD]: reason }: Record<string, string>,
  ids: number[],
  { caller, may, words }: Visit,
): Problem[] {
  const { list } = words
  const isKnown = Object.hasOwn(list.actions, action)
  const mayAssign = caller.organizationId === undefined && may('changeAnimals')
  const problems: (Problem | false)[] = [
    (ids.length === 0 || ids.length > MAX_SELECTED) && { field: 'action', message: list.noneSelected },
    (!isKnown || (action === 'assign' && !mayAssign)) && { field: 'action', message: list.noAction },
    action === 'tag' && tag === '' && { field: 'tag', message: list.noTag },
    action === 'hold' && reason === '' && { field: HOLD, message: list.noReason },
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
  visit: Visit,
  id: number,
  values: Record<string, string>,
): Promise<FailedAnimal | undefined> {
  const { texts, words } = visit
  let name = String(id)
  const fail = (reason: string) => ({ id, name, reason })
  try {
    return await retryIfChanged(async () => {
      const stored = await ownAnimal({ ...visit, params: { id: String(id) } })
      name = stored.pet.name
      const body = patchFor(stored.pet, values, texts)
      if (body === undefined) return undefined
      if (typeof body === 'string') return fail(body)
      await changeAnimal(visit, stored, body, { isStrict: true })
      return undefined
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (error.code === 'precondition_failed') return fail(words.list.changedMeanwhile)
    if (error.code === 'validation_failed') return fail(words.list.invalid)
    return fail(words.errors[error.code] ?? words.otherError)
  }
}

/** @returns the patch; undefined if there is nothing to change; a text if the animal must not be changed */
function patchFor(
  pet: Pet,
  { action = '', tag = '', organizationId, [HOLD]: reason = '' }: Record<string, string>,
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
  const { outcomeKind, holdReason } = pet.staff ?? {}
  if (action === 'hold' && holdReason === reason) return undefined
  const status = pet.status ?? 'unlisted'
  const move = MOVES[action]
  const plain = holdReason ? animal.onHold : animals.statuses[status]
  const label = (outcomeKind ? animal.outcome.kinds[outcomeKind] : plain) ?? status
  if (outcomeKind === undefined && move?.already === status) return undefined
  if (isKeptBack(pet) || !move?.from.includes(status)) return list.notFrom(agree(texts, label, pet))
  return action === 'hold' ? { staff: { holdReason: reason } } : move.patch
}
