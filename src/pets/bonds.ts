import type { Db } from '../db/tables.ts'
import { ApiError, type ErrorDetail, invalidValue } from '../errors.ts'
import type { Pet } from './schema.ts'
import * as pets from './store.ts'

// A bond is a set of animals that must be adopted together. `bondedWith` of each animal lists all the others.

/** Locks an animal, the animals of its bond, and the animals of its new bond, before any of them changes. */
export async function lockBond(db: Db, id: number, after: readonly number[] = []): Promise<void> {
  const { bondedWith = [] } = (await pets.find(db, id))?.pet ?? {}
  await pets.lock(db, [id, ...bondedWith, ...after])
}

/** The new bond of an animal. `bondedWith` is undefined if the animal no longer has a bond. */
export interface BondChange {
  stored: pets.StoredPet
  bondedWith: number[] | undefined
}

/**
 * Finds and locks the other animals whose bonds change when `before.bondedWith` becomes `after`.
 *
 * @throws {ApiError} validation_failed
 */
export async function findBondChanges(db: Db, before: Pet, after: readonly number[]): Promise<BondChange[]> {
  const { id, bondedWith: old = [] } = before
  const bond = [id, ...after]
  const left = old.filter((partner) => !after.includes(partner))
  const bondChanges: BondChange[] = []
  const problems: ErrorDetail[] = []
  for (const partner of [...left, ...after].toSorted((one, other) => one - other)) {
    const stored = await pets.findLocked(db, partner)
    const pointer = `/bondedWith/${after.indexOf(partner)}`
    const own = stored?.pet.bondedWith ?? []
    if (stored)
      bondChanges.push({ stored, bondedWith: othersIn(after.includes(partner) ? bond : left, partner) })
    if (!after.includes(partner)) continue
    if (partner === id)
      problems.push(invalidValue(pointer, 'This is the id of the animal itself. Name the other animals.'))
    else if (!stored) problems.push(invalidValue(pointer, 'No animal has this id.'))
    else if (own.some((one) => !bond.includes(one) && !old.includes(one)))
      problems.push(invalidValue(pointer, boundElsewhere(partner, own)))
  }
  if (problems.length > 0) throw new ApiError('validation_failed', { details: problems })
  return bondChanges
}

function othersIn(bond: number[], id: number): number[] | undefined {
  const others = bond.filter((one) => one !== id).toSorted((one, other) => one - other)
  return others.length > 0 ? others : undefined
}

/**
 * Checks that all animals of a bond belong to one organization, and that none has an outcome.
 *
 * @throws {ApiError} validation_failed
 */
export function requireBondable({ organizationId }: Pet, after: number[], others: Pet[]): void {
  const details = others
    .filter(({ id }) => after.includes(id))
    .flatMap(({ id, organizationId: owner, staff }) => {
      const pointer = `/bondedWith/${after.indexOf(id)}`
      if (owner !== organizationId)
        return invalidValue(pointer, 'This animal belongs to another organization.')
      return staff?.outcomeKind === undefined
        ? []
        : invalidValue(pointer, 'This animal has left: it has an outcome.')
    })
  if (details.length > 0) throw new ApiError('validation_failed', { details })
}

export function bondedMoveError({ bondedWith = [] }: Pet): ApiError {
  const message = `The animal is bonded with ${bondedWith.join(', ')}. Set bondedWith to null to move it, then bond them again.`
  return new ApiError('validation_failed', { details: [invalidValue('/organizationId', message)] })
}

function boundElsewhere(id: number, others: number[]): string {
  return `Animal ${id} is bonded with ${others.join(', ')}. Name all of them, or remove it from that bond first.`
}
