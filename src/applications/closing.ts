import type { Db } from '../db/tables.ts'
import * as guardedPets from '../orders/guarded-pets.ts'
import * as place from '../orders/place.ts'
import type { Order, OrderStatus } from '../orders/schema.ts'
import { atLeastKnownTime } from '../orders/store.ts'
import type { Intent } from '../pets/change.ts'
import type { PetPatch } from '../pets/schema.ts'
import type { StoredRow } from '../pets/store.ts'
import { type Deciding, decided, declineOpen, takeInHand } from './store.ts'

// What becomes of applications with their animal: changes of orders and animals as everybody may make them.

/** As `place.decideOrder`. */
export const decideOrder = (
  db: Db,
  status: OrderStatus | undefined,
  decision: place.Decision,
): Promise<Order> => place.decideOrder(db, status, decision, orderClosed)

/** As `place.cancelOrder`. */
export const cancelOrder = (db: Db, decision: place.Decision): Promise<void> =>
  place.cancelOrder(db, decision, orderClosed)

/**
 * When an order is complete, nothing can come of the other applications for its animals. When it is cancelled
 * the one that it came from is open again, as all others are.
 */
export async function orderClosed(db: Db, order: Order, by: Deciding): Promise<void> {
  const petIds = [order.petId, ...(order.alsoPetIds ?? [])]
  await takeInHand(db, petIds)
  const own = db
    .updateTable('application')
    .where('pet_id', '=', order.petId)
    .where('status', '=', 'approved')
    .where('order_id', '=', order.id)
  if (order.status === 'cancelled') {
    await own.set({ ...decided({ status: 'in_review' }, by), order_id: null }).execute()
    return
  }
  await own.set({ closed_at: atLeastKnownTime(by.now) }).execute()
  for (const petId of petIds) await declineOpen(db, petId, 'adopted', by)
}

/** As `guardedPets.updatePet`: open applications are with whom the animal is, and closed once it is sold. */
export async function updatePet(db: Db, patch: PetPatch, intent: Intent): Promise<StoredRow> {
  const { id, by, now } = intent
  const { status, organizationId } = patch
  if (status !== 'sold' && organizationId === undefined) return guardedPets.updatePet(db, patch, intent)
  await takeInHand(db, [id])
  const after = await guardedPets.updatePet(db, patch, intent)
  if (status === 'sold') await declineOpen(db, id as never, 'adopted', { keyId: by.keyId, now })
  if (organizationId !== undefined) {
    await db
      .updateTable('application')
      .set({ organization_id: organizationId === null ? null : Number(organizationId) })
      .where('pet_id', '=', id as never)
      .where('status', 'in', ['received', 'in_review'])
      .execute()
  }
  return after
}

/** As `guardedPets.deletePet`: applications stay, and are declined while they are open. */
export async function deletePet(db: Db, intent: Intent): Promise<void> {
  const { id, by, now } = intent
  await takeInHand(db, [id])
  await guardedPets.deletePet(db, intent)
  await declineOpen(db, id as never, 'animal_removed', { keyId: by.keyId, now })
}
