import type { Db } from '../db/tables.ts'
import type { Actor } from '../http/caller.ts'
import * as petChange from '../pets/change.ts'
import type { NewPet, PetPatch } from '../pets/schema.ts'
import type { StoredRow } from '../pets/store.ts'
import * as photos from '../photos/store.ts'

// Changes of animals as everybody may make them: while an order is open, it alone moves its animal.

export const updatePet = (db: Db, patch: PetPatch, intent: petChange.Intent): Promise<StoredRow> =>
  petChange.updatePet(db, patch, intent, hasOpenOrder)

export async function deletePet(db: Db, intent: petChange.Intent): Promise<void> {
  await photos.forgetAll(db, { kind: 'pet', id: intent.id }, intent.now)
  await petChange.deletePet(db, intent, hasOpenOrder)
}

export const insertBondedPet = (db: Db, pet: NewPet, by: Actor, now: number): Promise<StoredRow> =>
  petChange.insertBondedPet(db, pet, by, now, hasOpenOrder)

/**
 * Bonds animals that were imported. Without a key nobody is named who did it, so that no history tells of it.
 *
 * @throws {ApiError} as `updatePet`
 */
export async function bondPets(
  db: Db,
  id: number,
  bondedWith: number[],
  { keyId, organizationId }: { keyId: number | null; organizationId: number | undefined },
  now: number,
): Promise<void> {
  const by = { keyId, organizationId }
  await petChange.updatePet(db, { bondedWith }, { id: BigInt(id), by, now }, hasOpenOrder)
}

async function hasOpenOrder(db: Db, petIds: number[]): Promise<boolean> {
  const open = db
    .selectFrom('adoption_order')
    .select('id')
    .where('pet_id', 'in', petIds)
    .where('status', 'in', ['placed', 'approved'])
  return (await open.executeTakeFirst()) !== undefined
}
