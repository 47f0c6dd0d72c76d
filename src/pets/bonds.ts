import type { Db } from '../db/tables.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import type { Pet } from './schema.ts'
import * as pets from './store.ts'

// Animals that are adopted together. A bond is one set of animals, each of which names all others.

/** What becomes of an animal's bond when that of another one changes; undefined for none. */
export interface Rebound {
  stored: pets.StoredPet
  bondedWith: number[] | undefined
}

/**
 * The animals whose bonds change with that of one, each with its new one; itself excepted.
 *
 * @throws {ApiError} validation_failed
 */
export async function reboundBy(db: Db, before: Pet, after: readonly number[]): Promise<Rebound[]> {
  const { id, bondedWith: old = [] } = before
  const whole = [id, ...after]
  const left = old.filter((partner) => !after.includes(partner))
  const rebound: Rebound[] = []
  const problems: ErrorDetail[] = []
  // In one order for all who change bonds at once: so none waits for the other.
  for (const partner of [...left, ...after].toSorted((one, other) => one - other)) {
    const stored = await pets.find(db, partner)
    const pointer = `/bondedWith/${after.indexOf(partner)}`
    const own = stored?.pet.bondedWith ?? []
    if (stored)
      rebound.push({ stored, bondedWith: othersIn(after.includes(partner) ? whole : left, partner) })
    if (!after.includes(partner)) continue
    if (partner === id) problems.push(invalid(pointer, 'This is the animal itself: name the others.'))
    else if (!stored) problems.push(invalid(pointer, 'There is no animal with this id.'))
    else if (own.some((one) => !whole.includes(one) && !old.includes(one)))
      problems.push(invalid(pointer, boundElsewhere(partner, own)))
  }
  if (problems.length > 0) throw new ApiError('validation_failed', { details: problems })
  return rebound
}

function othersIn(bond: number[], id: number): number[] | undefined {
  const others = bond.filter((one) => one !== id).toSorted((one, other) => one - other)
  return others.length > 0 ? others : undefined
}

const invalid = (pointer: string, message: string): ErrorDetail => ({
  pointer,
  code: 'invalid_value',
  message,
})

/**
 * A bond stays in one organization.
 *
 * @throws {ApiError} validation_failed
 */
export function requireSameOrganization({ organizationId }: Pet, after: number[], others: Pet[]): void {
  const details = others
    .filter((other) => after.includes(other.id) && other.organizationId !== organizationId)
    .map(({ id }) =>
      invalid(`/bondedWith/${after.indexOf(id)}`, 'This animal belongs to another organization.'),
    )
  if (details.length > 0) throw new ApiError('validation_failed', { details })
}

export function movedAlone({ bondedWith = [] }: Pet): ApiError {
  const message = `It is bonded with ${bondedWith.join(', ')}: move it with bondedWith null, and bond them again there.`
  return new ApiError('validation_failed', { details: [invalid('/organizationId', message)] })
}

function boundElsewhere(id: number, others: number[]): string {
  return `Animal ${id} is bonded with ${others.join(', ')}: name all of them, or take it out of that bond first.`
}
