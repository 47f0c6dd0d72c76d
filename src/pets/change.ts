import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import { type Conditions, mayChange } from '../http/conditional.ts'
import { categoryNames, withAge } from './age.ts'
import { movedAlone, reboundBy, requireSameOrganization } from './bonds.ts'
import type { PetStatus } from './fields.ts'
import { changesOf, record } from './history.ts'
import { insertPet } from './insert.ts'
import { type Moved, move } from './move.ts'
import { requireSound } from './problems.ts'
import { merge } from './profile.ts'
import type { NewPet, Pet, PetPatch } from './schema.ts'
import * as pets from './store.ts'
import { checkMove } from './transition.ts'

/** Who changes what, when (Unix time in milliseconds), and under which conditions. */
export interface Intent {
  id: bigint
  /** With null for a command that names no key: no history tells of what it does. */
  by: Omit<Actor, 'keyId'> & { keyId: number | null }
  now: number
  conditions?: Conditions | undefined
}

/** Of orders, which know animals, while animals know no orders: one that is open moves its animal alone. */
export type HasOpenOrder = (db: Db, petIds: number[]) => Promise<boolean>

/**
 * Changes an animal and writes down what became of what; a patch that changes nothing leaves no trace.
 *
 * @throws {ApiError} pet_not_found, precondition_failed, order_open, invalid_status_transition,
 * validation_failed
 */
export async function updatePet(
  db: Db,
  patch: PetPatch,
  intent: Intent,
  hasOpenOrder: HasOpenOrder,
): Promise<pets.StoredRow> {
  const { id, by, now, conditions } = intent
  const before = await pets.find(db, id)
  if (!before) throw new ApiError('pet_not_found')
  requireOwn(by, before.pet.organizationId)
  if (!mayChange(conditions, before)) throw new ApiError('precondition_failed')
  const sound = inOrder(merge(before.pet, patch))
  requireOwn(by, sound.organizationId)
  await requireSound(db, sound, withoutOldAge(patch, before.pet), now)
  const { pet, ageDueAt } = await withAge(categoryNames(db), sound, now)
  const changes = changesOf(before.pet, pet)
  if (Object.keys(changes).length === 0) return before.row
  if (changes.organizationId && before.pet.bondedWith && !changes.bondedWith) throw movedAlone(before.pet)
  // An order is with the organization that it was placed under, and takes all animals of a bond.
  const isOrders = changes.status || changes.organizationId || changes.bondedWith
  if (isOrders && (await hasOpenOrder(db, bondOf(before.pet)))) throw new ApiError('order_open')
  if (patch.status && changes.status) checkMove(before.pet.status, patch.status)

  // Before anything is written: what is refused leaves nothing behind, not even a gap in the ids.
  const { organizationId } = pet
  const moved = { ...before.pet, organizationId } as Pet
  if (changes.bondedWith) await changingWith(db, moved, pet.bondedWith ?? [], by, hasOpenOrder)
  const after = await pets.update(db, before, { pet, ageDueAt }, now)
  // Somebody was faster, where a store lets two transactions read at once: judged again, on what is there.
  if (!after) return updatePet(db, patch, intent, hasOpenOrder)
  await record(db, before.pet.id, changes, by.keyId, now)
  if (changes.bondedWith) await rebond(db, moved, pet.bondedWith ?? [], intent, hasOpenOrder)
  return after
}

/** A client that sends an animal back with another birth date need not know that its age follows from it. */
function withoutOldAge(patch: PetPatch, before: Pet): PetPatch {
  const { age, ...others } = patch
  return before.birthDate !== undefined && age === before.age ? others : patch
}

/** A bond is a set: it is kept in one order, however it was sent. */
function inOrder(pet: NewPet): NewPet {
  const { bondedWith } = pet
  return bondedWith ? { ...pet, bondedWith: bondedWith.toSorted((one, other) => one - other) } : pet
}

const bondOf = ({ id, bondedWith = [] }: Pet): number[] => [id, ...bondedWith]

/**
 * The animals whose bonds change with that of one, when all of them may.
 *
 * @throws {ApiError} other_organization, order_open, validation_failed
 */
async function changingWith(
  db: Db,
  pet: Pet,
  after: number[],
  by: Intent['by'],
  hasOpenOrder: HasOpenOrder,
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

/** @throws {ApiError} as `changingWith` */
async function rebond(
  db: Db,
  pet: Pet,
  after: number[],
  { by, now }: Pick<Intent, 'by' | 'now'>,
  hasOpenOrder: HasOpenOrder,
): Promise<void> {
  for (const { stored, sound, changes } of await changingWith(db, pet, after, by, hasOpenOrder)) {
    const aged = await withAge(categoryNames(db), sound, now)
    // Somebody was faster: judged again, on what is there.
    if (!(await pets.update(db, stored, aged, now))) return rebond(db, pet, after, { by, now }, hasOpenOrder)
    await record(db, stored.pet.id, changes, by.keyId, now)
  }
}

/** Of an animal that has no id yet. */
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
  hasOpenOrder: HasOpenOrder,
): Promise<pets.StoredRow> {
  // First, since PostgreSQL would use an id up for an animal that it then refuses.
  await requireSound(db, { ...newPet, bondedWith } as NewPet, newPet, now)
  const others = (bondedWith ?? []).toSorted((one, other) => one - other)
  const { organizationId = by.organizationId } = newPet
  await changingWith(db, { ...newPet, id: NEW, organizationId } as Pet, others, by, hasOpenOrder)
  const { id } = await insertPet(db, newPet, by, now)
  return updatePet(db, { bondedWith: bondedWith ?? null }, { id: BigInt(id), by, now }, hasOpenOrder)
}

interface Move {
  from: PetStatus
  to: PetStatus
  /** Null where no key moves them: no history tells of it. */
  keyId: number | null
  now: number
}

/**
 * Moves the animals of an order, each decided in one statement, so that of many at once one wins; lowest id
 * first for everybody, so that of two who want the same ones one gets the first.
 *
 * @param check what else has to be right; before anything is written down, so that a refusal leaves no gap
 * @throws {ApiError} pet_not_found; pet_not_available when one is not where it should move from
 */
export async function movePets(
  db: Db,
  ids: (number | bigint)[],
  { from, to, keyId, now }: Move,
  check: (moved: Map<number, Moved>) => void = () => undefined,
): Promise<void> {
  const moved = new Map<number, Moved>()
  for (const id of [...new Set(ids.map(BigInt))].sort((one, other) => (one < other ? -1 : 1))) {
    const one = await move(db, { id, from, to, now })
    if (!one) throw new ApiError((await pets.find(db, id)) ? 'pet_not_available' : 'pet_not_found')
    moved.set(one.id, one)
  }
  check(moved)
  for (const id of moved.keys()) await record(db, id, { status: { from, to } }, keyId, now)
}

/** @throws {ApiError} pet_not_found, precondition_failed, order_open */
export async function deletePet(db: Db, intent: Intent, hasOpenOrder: HasOpenOrder): Promise<void> {
  const before = await pets.find(db, intent.id)
  if (!before) throw new ApiError('pet_not_found')
  requireOwn(intent.by, before.pet.organizationId)
  if (!mayChange(intent.conditions, before)) throw new ApiError('precondition_failed')
  if (await hasOpenOrder(db, bondOf(before.pet))) throw new ApiError('order_open')
  if (!(await pets.remove(db, before))) return deletePet(db, intent, hasOpenOrder)
  if (before.pet.bondedWith) await rebond(db, before.pet, [], intent, hasOpenOrder)
}
