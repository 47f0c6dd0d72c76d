import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { Actor } from '../http/caller.ts'
import type { NewOrder } from '../orders/schema.ts'
import { hasOpenOrder, type Viewer } from '../orders/store.ts'
import * as pets from '../pets/store.ts'
import { updateApplication } from './application-changes.ts'
import { decideOrder, placeOrder } from './order-changes.ts'
import { updatePet } from './pet-changes.ts'
import { lockBondApplications } from './store.ts'

/** The person who adopts: the sender of an application, or another person. */
export type AdoptedBy = { applicationId: number } | { adopter: NewOrder['adopter'] }

/** The member of staff who records the adoption. */
type Recorder = Viewer & Actor

/**
 * Records an adoption that has already happened, in one step: places an order if there is none, and completes
 * it. All other applications for the animal are declined.
 * @throws {ApiError} pet_not_found, application_not_found; as `updateApplication` and `placeOrder`
 */
export async function completeAdoption(
  db: Db,
  petId: number,
  who: AdoptedBy,
  by: Recorder,
  now: number,
): Promise<void> {
  // Before the rows of animals, which `makeAvailable` may lock.
  await lockBondApplications(db, petId)
  await makeAvailable(db, petId, by, now)
  const id = 'applicationId' in who ? await approve(db, petId, who.applicationId, by, now) : undefined
  const orderId = id ?? (await order(db, petId, who as { adopter: NewOrder['adopter'] }, by, now))
  await decideOrder(db, 'completed', { ...by, sees: 'all', id: orderId, now })
}

/** If staff have reserved the animal without an order, makes it available, so an order can reserve it. */
async function makeAvailable(db: Db, petId: number, by: Recorder, now: number): Promise<void> {
  const { status, bondedWith = [] } = (await pets.find(db, petId))?.pet ?? {}
  if (status !== 'pending' || (await hasOpenOrder(db, [petId, ...bondedWith]))) return
  await updatePet(db, { status: 'available' }, { id: petId, by, now })
}

async function approve(
  db: Db,
  petId: number,
  applicationId: number,
  by: Recorder,
  now: number,
): Promise<number> {
  const decision = { ...by, id: applicationId, now }
  const approved = await updateApplication(db, { status: 'approved' }, decision)
  if (approved.petId !== petId || approved.orderId === undefined) throw new ApiError('application_not_found')
  return approved.orderId
}

async function order(
  db: Db,
  petId: number,
  { adopter }: { adopter: NewOrder['adopter'] },
  by: Recorder,
  now: number,
): Promise<number> {
  const { bondedWith } = (await pets.find(db, petId))?.pet ?? {}
  const { id } = await placeOrder(
    db,
    { petId, ...(bondedWith && { alsoPetIds: bondedWith }), adopter },
    by,
    now,
  )
  await decideOrder(db, 'approved', { ...by, sees: 'all', id, now })
  return id
}
