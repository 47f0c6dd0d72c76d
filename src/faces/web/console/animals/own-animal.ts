import { ApiError } from '../../../../errors.ts'
import { seesInternalData } from '../../../../http/caller.ts'
import { validatorHeaders } from '../../../../http/conditional.ts'
import { html, type Part } from '../../../../http/html.ts'
import type { IdempotencyKey } from '../../../../http/idempotency.ts'
import { parseInt64 } from '../../../../http/int64.ts'
import * as petRequests from '../../../../pets/requests.ts'
import { parseFields } from '../../../../pets/row.ts'
import { HIDDEN } from '../../../../pets/rules.ts'
import { finderOf } from '../../../../pets/search/filters.ts'
import { listForStaff } from '../../../../pets/staff-list.ts'
import * as pets from '../../../../pets/store.ts'
import { animalsOf } from '../applications/applicant.ts'
import type { Values } from '../fields.ts'
import { type Lookup, PREFIX, type Visit } from '../visit.ts'
import { filtersIn, queryOf } from './filters.ts'

// Reads and changes the animal that a page is about.

/** A stored animal with its exact id. */
export type OwnAnimal = pets.StoredPet & { id: number }

/**
 * Reads the animal in an address. @throws {ApiError} pet_not_found, also for an animal of another
 * organization
 */
export async function ownAnimal({ db, caller, params }: Lookup): Promise<OwnAnimal> {
  const id = parseInt64(params.id)
  const stored = id === undefined ? undefined : await pets.find(db, id)
  if (id === undefined || !stored || !seesInternalData(caller.view, stored.owner))
    throw new ApiError('pet_not_found')
  return { ...stored, id }
}

/**
 * Changes an animal.
 * @param body a patch, not validated yet
 * @param isStrict whether to refuse the change if the animal has changed since it was read
 * @throws {ApiError} as `petRequests.readPatch` and `petRequests.change`
 */
export async function changeAnimal(
  { context, caller }: Visit,
  stored: OwnAnimal,
  body: object,
  { isStrict = false, key }: { isStrict?: boolean; key?: IdempotencyKey | undefined } = {},
): Promise<void> {
  const { view } = caller
  const patch = body === HIDDEN ? HIDDEN : await petRequests.readPatch(context, body)
  const conditions = { view, ...(isStrict && { 'if-match': validatorHeaders(stored, view).etag }) }
  await petRequests.change(context, { caller, key }, patch, { id: stored.id, conditions })
}

const MAX_TRIES = 3

/** Repeats a change of an animal if others have changed the animal between its read and its write. */
export async function retryIfChanged<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1)
    try {
      return await change()
    } catch (error) {
      const isChanged = error instanceof ApiError && error.code === 'precondition_failed'
      if (!isChanged || tries === MAX_TRIES) throw error
    }
}

// The animals that are adopted together with an animal. People know them by name.

const NAME_MEMBERS = parseFields('id,name,externalId')
/** Enough to find an exact name among longer ones. */
const MAX_FOUND = 25

/**
 * Replaces names and shelter IDs by the numbers of the animals. A text that fits no animal or several animals
 * stays.
 */
export async function withBondIds(visit: Visit, values: Values): Promise<Values> {
  const { bondedWith = '' } = values
  if (/^[\d\s,]*$/.test(bondedWith)) return values
  const parts = bondedWith.split(/[,\n]/).map((part) => part.trim())
  const ids = await Promise.all(parts.map((part) => findId(visit, part)))
  return { ...values, bondedWith: ids.join(', ') }
}

async function findId(visit: Visit, text: string): Promise<string> {
  if (/^[\d\s]*$/.test(text)) return text
  const { found } = await listForStaff(finderOf(visit.context), {
    query: queryOf(filtersIn({ q: text }), visit),
    ...{ limit: MAX_FOUND, after: undefined, selection: NAME_MEMBERS },
    renderOptions: { view: visit.caller.view, photosBase: '' },
  })
  const folded = text.toLowerCase()
  const [only, ...others] = found.filter(({ name, externalId }) =>
    [name, externalId].some((one) => one?.toLowerCase() === folded),
  )
  return only && others.length === 0 ? String(only.id) : text
}

/** Links to the animals that are adopted together with this one. */
export async function bondedLine(visit: Visit, { pet: { bondedWith = [] } }: OwnAnimal): Promise<Part> {
  const animals = await animalsOf(visit, bondedWith)
  if (animals.size === 0) return undefined
  const { labels } = visit.words.animal.fields
  const links = [...animals].map(
    ([id, { name }], index) => html`${index > 0 && ', '}<a href="${PREFIX}/animals/${id}">${name}</a>`,
  )
  return html`<p>${labels.bondedWith}: ${links}</p>`
}
