import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import { type Conditions, mayChange } from '../http/conditional.ts'
import { hasOpenOrder } from '../orders/store.ts'
import { categoryNames, withAge } from '../pets/age.ts'
import { movedAlone, reboundBy, requireSameOrganization } from '../pets/bonds.ts'
import { changesOf, record } from '../pets/history.ts'
import { insertPet } from '../pets/insert.ts'
import { requireSound } from '../pets/problems.ts'
import { merge } from '../pets/profile.ts'
import type { NewPet, Pet, PetPatch } from '../pets/schema.ts'
import * as pets from '../pets/store.ts'
import { checkMove } from '../pets/transition.ts'
import * as photos from '../photos/store.ts'
import { declineOpen, lockApplications, moveOpen } from './store.ts'

// The changes of animals in which bonds, orders and applications have a say.

/** Who changes which animal, when (Unix time in milliseconds), and under which conditions. */
export interface Intent {
  id: number
  /** The key is null for a command that names none: the history then does not tell of the change. */
  by: Omit<Actor, 'keyId'> & { keyId: number | null }
  now: number
  conditions?: Conditions | undefined
}

/**
 * Changes an animal and records the changes in its history; a patch that changes nothing leaves no trace.
 *
 * @throws {ApiError} pet_not_found, other_organization, precondition_failed, order_open,
 * invalid_status_transition, external_id_exists, validation_failed
 */
export async function updatePet(db: Db, patch: PetPatch, intent: Intent): Promise<pets.StoredRow> {
  const { id, by, now, conditions } = intent
  // Locked before the animal is read: no application is added while this change closes or moves them all.
  if (patch.status === 'sold' || patch.organizationId !== undefined) await lockApplications(db, [id])

  const before = await pets.find(db, id)
  if (!before) throw new ApiError('pet_not_found')
  requireOwn(by, before.pet.organizationId)
  if (!mayChange(conditions, before)) throw new ApiError('precondition_failed')
  const sound = withOrderedBond(merge(before.pet, patch))
  requireOwn(by, sound.organizationId)
  await requireSound(db, sound, withoutOldAge(patch, before.pet), now)
  const { pet, ageDueAt } = await withAge(categoryNames(db), sound, now)
  const changes = changesOf(before.pet, pet)
  if (Object.keys(changes).length === 0) return before.row
  if (changes.organizationId && before.pet.bondedWith && !changes.bondedWith) throw movedAlone(before.pet)
  // An order is placed with one organization, and takes all animals of a bond. While it is open, it alone
  // changes these three members.
  const isOrders = changes.status || changes.organizationId || changes.bondedWith
  if (isOrders && (await hasOpenOrder(db, bondOf(before.pet)))) throw new ApiError('order_open')
  if (patch.status && changes.status) checkMove(before.pet.status, patch.status)
  // Checked before anything is written: a refused change then uses up no ids.
  const moved = { ...before.pet, organizationId: pet.organizationId } as Pet
  if (changes.bondedWith) await bondChanges(db, moved, pet.bondedWith ?? [], by)

  const after = await pets.update(db, before, { pet, ageDueAt }, now)
  // Another transaction was faster, as PostgreSQL allows: decide again about what the animal is now.
  if (!after) return updatePet(db, patch, intent)
  await record(db, before.pet.id, changes, by.keyId, now)
  if (changes.bondedWith) await rebond(db, moved, pet.bondedWith ?? [], intent)
  if (changes.status && pet.status === 'sold') await declineOpen(db, id, 'adopted', { keyId: by.keyId, now })
  if (changes.organizationId) await moveOpen(db, id, pet.organizationId)
  return after
}

/** A client that sends an animal back with another birth date need not know that its age follows from it. */
function withoutOldAge(patch: PetPatch, before: Pet): PetPatch {
  const { age, ...others } = patch
  return before.birthDate !== undefined && age === before.age ? others : patch
}

/** A bond is a set: it is stored in one order, however it was sent. */
function withOrderedBond(pet: NewPet): NewPet {
  const { bondedWith } = pet
  return bondedWith ? { ...pet, bondedWith: bondedWith.toSorted((one, other) => one - other) } : pet
}

const bondOf = ({ id, bondedWith = [] }: Pet): number[] => [id, ...bondedWith]

/**
 * Removes an animal with its photos. Its applications stay, and those that are open are declined.
 *
 * @throws {ApiError} pet_not_found, other_organization, precondition_failed, order_open
 */
export async function deletePet(db: Db, intent: Intent): Promise<void> {
  const { id, by, now, conditions } = intent
  // No application and no photo can be added from here on.
  await lockApplications(db, [id])
  await photos.forgetAll(db, { kind: 'pet', id }, now)

  const before = await pets.find(db, id)
  if (!before) throw new ApiError('pet_not_found')
  requireOwn(by, before.pet.organizationId)
  if (!mayChange(conditions, before)) throw new ApiError('precondition_failed')
  if (await hasOpenOrder(db, bondOf(before.pet))) throw new ApiError('order_open')

  // As in `updatePet`.
  if (!(await pets.remove(db, before))) return deletePet(db, intent)
  if (before.pet.bondedWith) await rebond(db, before.pet, [], intent)
  await declineOpen(db, id, 'animal_removed', { keyId: by.keyId, now })
}

/** Stands for the id of an animal that has none yet. */
const NEW = 0

/**
 * Adds an animal that is adopted together with others.
 *
 * @throws {ApiError} as `insertPet` and `updatePet`
 */
export async function insertBondedPet(
  db: Db,
  { bondedWith, ...newPet }: NewPet,
  by: Actor,
  now: number,
): Promise<pets.StoredRow> {
  // Checked first: PostgreSQL would use up an id for an animal that it then refuses.
  await requireSound(db, { ...newPet, bondedWith } as NewPet, newPet, now)
  const others = (bondedWith ?? []).toSorted((one, other) => one - other)
  const { organizationId = by.organizationId } = newPet
  await bondChanges(db, { ...newPet, id: NEW, organizationId } as Pet, others, by)
  const { id } = await insertPet(db, newPet, by, now)
  return updatePet(db, { bondedWith: bondedWith ?? null }, { id, by, now })
}

/**
 * What changes of other animals when an animal gets the bond `after`, if all of it is allowed.
 *
 * @throws {ApiError} other_organization, order_open, validation_failed
 */
async function bondChanges(
  db: Db,
  pet: Pet,
  after: number[],
  by: Intent['by'],
): Promise<{ stored: pets.StoredPet; sound: NewPet; changes: ReturnType<typeof changesOf> }[]> {
  const changing = (await reboundBy(db, pet, after)).flatMap(({ stored, bondedWith }) => {
    const sound = merge(stored.pet, { bondedWith: bondedWith ?? null })
    const changes = changesOf(stored.pet, sound)
    return changes.bondedWith ? [{ stored, sound, changes }] : []
  })
  for (const { stored } of changing) {
    requireOwn(by, stored.pet.organizationId)
    if (await hasOpenOrder(db, bondOf(stored.pet))) throw new ApiError('order_open')
  }
  const others = changing.map(({ stored }) => stored.pet)
  requireSameOrganization(pet, after, others)
  return changing
}

/** Changes the bonds of the other animals. @throws {ApiError} as `bondChanges` */
async function rebond(
  db: Db,
  pet: Pet,
  after: number[],
  { by, now }: Pick<Intent, 'by' | 'now'>,
): Promise<void> {
  for (const { stored, sound, changes } of await bondChanges(db, pet, after, by)) {
    const aged = await withAge(categoryNames(db), sound, now)
    // As in `updatePet`.
    if (!(await pets.update(db, stored, aged, now))) return rebond(db, pet, after, { by, now })
    await record(db, stored.pet.id, changes, by.keyId, now)
  }
}
