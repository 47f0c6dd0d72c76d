import { deletePet } from '../applications/pet-changes.ts'
import * as applications from '../applications/store.ts'
import type { Db } from '../db/tables.ts'
import { scrubIsDue } from '../orders/adopters.ts'
import * as orders from '../orders/store.ts'
import * as organizations from '../organizations/store.ts'
import * as petLists from '../pets/search.ts'
import * as photos from '../photos/store.ts'
import { DEMO_CODE } from './shelter.ts'

/** So many animals are removed in one transaction, which other changes wait for. */
const STEP = 100

/**
 * Removes the made-up shelter, with all that belongs to it: animals that were added to it too.
 *
 * @returns whether there is more to remove
 */
export async function removeDemo(db: Db, now: number): Promise<boolean> {
  const id = await organizations.idOfCode(db, DEMO_CODE)
  if (id === undefined) return false
  await applications.removeOfOrganization(db, id)
  await orders.removeOfOrganization(db, id)
  const { found } = await petLists.listWhole(db, { limit: STEP, sort: '-id', organizationId: id }, '')
  for (const pet of found) {
    const by = { keyId: null, organizationId: undefined }
    await deletePet(db, { id: pet.id, by, now, conditions: undefined })
  }
  if (found.length > 0) return true
  await photos.deleteOrganization(db, id, now)
  // A visitor may have applied for an animal of the demo: no byte of that stays either.
  await scrubIsDue(db)
  return false
}
