import type { Db } from '../db/tables.ts'
import * as petChange from '../pets/change.ts'
import type { PetPatch } from '../pets/schema.ts'
import type { StoredPet } from '../pets/store.ts'

// Changes of animals as everybody may make them: while an order is open, it alone moves its animal.

export const updatePet = (db: Db, patch: PetPatch, intent: petChange.Intent): Promise<StoredPet> =>
  petChange.updatePet(db, patch, intent, hasOpenOrder)

export const deletePet = (db: Db, intent: petChange.Intent): Promise<void> =>
  petChange.deletePet(db, intent, hasOpenOrder)

async function hasOpenOrder(db: Db, petId: bigint): Promise<boolean> {
  const open = db
    .selectFrom('adoption_order')
    .select('id')
    .where('pet_id', '=', petId)
    .where('status', 'in', ['placed', 'approved'])
  return (await open.executeTakeFirst()) !== undefined
}
