import type { Db } from '../db/tables.ts'
import { ApiError, type ErrorDetail, invalidValue } from '../errors.ts'
import { type Actor, requireOwnOrganization } from '../http/caller.ts'
import { type Conditions, meetsConditions } from '../http/conditional.ts'
import { hasOpenOrder } from '../orders/store.ts'
import { changesOf, recordChange, recordMove } from '../pets/history.ts'
import { checkMove } from '../pets/move.ts'
import type { StoredRow } from '../pets/row.ts'
import { categoryNames, merge, requireFreeExternalId, validatePet, withAge } from '../pets/rules.ts'
import type { NewPet, Pet, PetPatch } from '../pets/schema.ts'
import * as pets from '../pets/store.ts'
import * as photos from '../photos/store.ts'
import type { Reason } from './schema.ts'
import { declineOpen, lockApplications, moveOpen } from './store.ts'

// Changes animals. These changes depend on bonds, orders and applications, or affect them.

/**
 * A change of an animal: the animal, the person or program that makes the change, the time, and the
 * preconditions.
 */
export interface Intent {
  id: number
  /** The key is null if a command makes the change without a key. The history then has no entry. */
  by: Omit<Actor, 'keyId'> & { keyId: number | null }
  /** Unix time in milliseconds. */
  now: number
  conditions?: Conditions | undefined
}

/**
 * Changes an animal and records the changes in its history. A patch without changes is not recorded.
 * @throws {ApiError} pet_not_found, other_organization, precondition_failed, order_open, followed_animal,
 *   invalid_status_transition, external_id_exists, validation_failed
 */
export async function updatePet(
  db: Db,
  sent: PetPatch,
  { id, by, now, conditions }: Intent,
): Promise<StoredRow> {
  // An animal that has left cannot be adopted together with others.
  const isLeaving = sent.staff?.outcomeKind !== undefined && sent.staff.outcomeKind !== null
  const patch = isLeaving ? { bondedWith: null, ...sent } : sent
  // Takes the lock before reading the animal. Otherwise an application could be added while this change
  // closes or moves all applications.
  if (patch.status === 'sold' || patch.organizationId !== undefined || isLeaving)
    await lockApplications(db, [id])
  if (patch.bondedWith !== undefined) await lockBond(db, id, patch.bondedWith ?? [])

  const before = await pets.findLocked(db, id)
  if (!before) throw new ApiError('pet_not_found')
  requireOwnOrganization(by, before.pet.organizationId)
  pets.requireNoCopy(before.row)
  if (!meetsConditions(conditions, before)) throw new ApiError('precondition_failed')
  const merged = withOrderedBond(merge(before.pet, patch))
  requireOwnOrganization(by, merged.organizationId)
  const { pet, ageDueAt } = await withAge(categoryNames(db), merged, now)
  await validatePet(db, pet, withoutOldAge(patch, before.pet), now)
  const changes = changesOf(before.pet, pet)
  if (Object.keys(changes).length === 0) return before.row
  if (changes.organizationId && before.pet.bondedWith && !changes.bondedWith)
    throw bondedMoveError(before.pet)
  // An order belongs to one organization, and includes all bonded animals. While an order is open, only
  // changes of the order may change these three members.
  const affectsOrder = changes.status || changes.organizationId || changes.bondedWith
  if (affectsOrder && (await hasOpenOrder(db, bondOf(before.pet)))) throw new ApiError('order_open')
  if (patch.status && changes.status) checkMove(before.pet.status, patch.status)
  // Checks this before writing anything, because a refused change must not use up ids.
  const moved = { ...before.pet, organizationId: pet.organizationId } as Pet
  const partners = changes.bondedWith ? await bondChanges(db, moved, pet.bondedWith ?? [], by) : []

  const after = await pets.update(db, before.pet, { pet, ageDueAt }, now)
  const recordAll = changes.organizationId ? recordMove : recordChange
  await recordAll(db, before.pet, changes, by.keyId, now)
  await updatePartners(db, partners, by, now)
  const reason = reasonToDecline(pet)
  if (reason !== undefined && reason !== reasonToDecline(before.pet))
    await declineOpen(db, id, reason, { keyId: by.keyId, now })
  if (changes.organizationId) await moveOpen(db, id, before.pet.organizationId, pet.organizationId)
  return after
}

/**
 * Drops an unchanged age. A client can therefore change the birth date and send all other members back. The
 * age is then derived from the new birth date.
 */
function withoutOldAge(patch: PetPatch, before: Pet): PetPatch {
  const { age, ...others } = patch
  return before.birthDate !== undefined && age === before.age ? others : patch
}

/** The reason for which open applications for an animal are declined, if it has left. */
function reasonToDecline({ status, staff }: NewPet): Reason | undefined {
  if (status === 'sold') return 'adopted'
  return staff?.outcomeKind === undefined ? undefined : 'animal_removed'
}

/** Sorts a bond, because the order of its animals has no meaning. */
function withOrderedBond(pet: NewPet): NewPet {
  const { bondedWith } = pet
  return bondedWith ? { ...pet, bondedWith: bondedWith.toSorted((one, other) => one - other) } : pet
}

const bondOf = ({ id, bondedWith = [] }: Pet): number[] => [id, ...bondedWith]

/**
 * Removes an animal and its photos. Its applications stay, but open applications are declined.
 * @throws {ApiError} pet_not_found, other_organization, precondition_failed, order_open, followed_animal
 */
export async function deletePet(db: Db, { id, by, now, conditions }: Intent): Promise<void> {
  // From here on, applications and photos can no longer be added.
  await lockApplications(db, [id])
  await lockBond(db, id)

  const before = await pets.find(db, id)
  if (!before) throw new ApiError('pet_not_found')
  requireOwnOrganization(by, before.pet.organizationId)
  pets.requireNoCopy(before.row)
  if (!meetsConditions(conditions, before)) throw new ApiError('precondition_failed')
  if (await hasOpenOrder(db, bondOf(before.pet))) throw new ApiError('order_open')

  await photos.deletePhotos(db, { kind: 'pet', id }, now)
  await pets.remove(db, before.pet, now)
  if (before.pet.bondedWith) await updatePartners(db, await bondChanges(db, before.pet, [], by), by, now)
  await declineOpen(db, id, 'animal_removed', { keyId: by.keyId, now })
}

/**
 * Adds an animal without a bond.
 * @throws {ApiError} other_organization, external_id_exists; validation_failed when the category or
 * organization does not exist, or members contradict each other
 */
export async function insertPet(db: Db, newPet: NewPet, by: Actor, now: number): Promise<StoredRow> {
  const { keyId, organizationId } = by
  const merged = merge(organizationId === undefined ? {} : { organizationId }, newPet)
  requireOwnOrganization(by, merged.organizationId)
  const aged = await withAge(categoryNames(db), merged, now)
  await validatePet(db, aged.pet, newPet, now)
  await requireFreeExternalId(db, merged)
  return pets.insert(db, aged, { keyId, now })
}

/** Stands for the id of an animal that is not inserted yet. */
const NEW = 0

/**
 * Adds an animal that is bonded with others.
 * @throws {ApiError} as `insertPet` and `updatePet`
 */
export async function insertBondedPet(
  db: Db,
  { bondedWith, ...newPet }: NewPet,
  by: Actor,
  now: number,
): Promise<StoredRow> {
  await lockBond(db, NEW, bondedWith)
  // Checks the bond first, because a refused insert would use up an id in PostgreSQL.
  const { pet } = await withAge(categoryNames(db), { ...newPet, bondedWith } as NewPet, now)
  await validatePet(db, pet, newPet, now)
  const others = (bondedWith ?? []).toSorted((one, other) => one - other)
  const { organizationId = by.organizationId } = newPet
  await bondChanges(db, { ...newPet, id: NEW, organizationId } as Pet, others, by)
  const { id } = await insertPet(db, newPet, by, now)
  return updatePet(db, { bondedWith: bondedWith ?? null }, { id, by, now })
}

// A bond is a set of animals that must be adopted together. `bondedWith` of each animal lists all the others.

/** Locks an animal, the animals of its bond, and the animals of its new bond, before any of them changes. */
async function lockBond(db: Db, id: number, after: readonly number[] = []): Promise<void> {
  const { bondedWith = [] } = (await pets.find(db, id))?.pet ?? {}
  await pets.lock(db, [id, ...bondedWith, ...after])
}

/** How a partner of a changed animal changes. */
interface BondChange {
  stored: pets.StoredPet
  merged: NewPet
  changes: ReturnType<typeof changesOf>
}

/**
 * Locks the other animals whose bonds change when an animal gets the bond `after`, and checks that they may
 * change.
 * @throws {ApiError} other_organization, order_open, validation_failed
 */
async function bondChanges(db: Db, pet: Pet, after: number[], by: Intent['by']): Promise<BondChange[]> {
  const { id, bondedWith: old = [] } = pet
  const bond = [id, ...after]
  const left = old.filter((partner) => !after.includes(partner))
  const changing: BondChange[] = []
  const problems: ErrorDetail[] = []
  for (const partner of [...left, ...after].toSorted((one, other) => one - other)) {
    const stored = await pets.findLocked(db, partner)
    if (stored) {
      const others = othersIn(after.includes(partner) ? bond : left, partner)
      const merged = merge(stored.pet, { bondedWith: others ?? null })
      const changes = changesOf(stored.pet, merged)
      if (changes.bondedWith) changing.push({ stored, merged, changes })
    }
    if (!after.includes(partner)) continue
    const pointer = `/bondedWith/${after.indexOf(partner)}`
    const own = stored?.pet.bondedWith ?? []
    if (partner === id)
      problems.push(invalidValue(pointer, 'This is the id of the animal itself. Name the other animals.'))
    else if (!stored) problems.push(invalidValue(pointer, 'No animal has this id.'))
    else if (own.some((one) => !bond.includes(one) && !old.includes(one)))
      problems.push(invalidValue(pointer, boundElsewhere(partner, own)))
  }
  if (problems.length > 0) throw new ApiError('validation_failed', { details: problems })
  for (const { stored } of changing) {
    requireOwnOrganization(by, stored.pet.organizationId)
    pets.requireNoCopy(stored.row)
    if (await hasOpenOrder(db, bondOf(stored.pet))) throw new ApiError('order_open')
  }
  requireBondable(
    pet,
    after,
    changing.map(({ stored }) => stored.pet),
  )
  return changing
}

async function updatePartners(db: Db, partners: BondChange[], by: Intent['by'], now: number): Promise<void> {
  for (const { stored, merged, changes } of partners) {
    await pets.update(db, stored.pet, await withAge(categoryNames(db), merged, now), now)
    await recordChange(db, stored.pet, changes, by.keyId, now)
  }
}

function othersIn(bond: number[], id: number): number[] | undefined {
  const others = bond.filter((one) => one !== id).toSorted((one, other) => one - other)
  return others.length > 0 ? others : undefined
}

/**
 * Checks that all animals of a bond belong to one organization, and that none has an outcome.
 * @throws {ApiError} validation_failed
 */
function requireBondable({ organizationId }: Pet, after: number[], others: Pet[]): void {
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

function bondedMoveError({ bondedWith = [] }: Pet): ApiError {
  const message = `The animal is bonded with ${bondedWith.join(', ')}. Set bondedWith to null to move it, then bond them again.`
  return new ApiError('validation_failed', { details: [invalidValue('/organizationId', message)] })
}

function boundElsewhere(id: number, others: number[]): string {
  return `Animal ${id} is bonded with ${others.join(', ')}. Name all of them, or remove it from that bond first.`
}
