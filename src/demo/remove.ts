import { deletePet } from '../applications/pet-changes.ts'
import * as applications from '../applications/store.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import * as keys from '../keys/store.ts'
import { markScrubDue } from '../orders/adopters.ts'
import * as orders from '../orders/store.ts'
import * as organizations from '../organizations/store.ts'
import * as petLists from '../pets/list.ts'
import * as photos from '../photos/store.ts'
import { removeStaff } from '../staff/accounts.ts'
import * as staff from '../staff/store.ts'
import { DEMO_CODE } from './shelter.ts'

const BATCH_SIZE = 100

/**
 * Removes the demo shelter with everything that belongs to it.
 *
 * @param force also removes accounts, API keys and animals that people have added to the demo shelter
 * @throws {ApiError} organization_in_use
 */
export async function removeDemo(db: Db, force: boolean, now: number): Promise<void> {
  const id = await organizations.findIdByCode(db, DEMO_CODE)
  if (id === undefined) return
  const people = await staff.list(db, { organizationId: id })
  const programs = await keys.list(db, { organizationId: id })
  const live = programs.filter(({ revoked_at }) => revoked_at === null)
  if (!force) requireUnchanged({ accounts: people.length, 'API keys': live.length })
  for (const person of people) await removeStaff(db, person.id, undefined, now)
  await keys.revokeOrganizationKeys(db, id, now)
  await applications.deleteByOrganization(db, id)
  await orders.removeByOrganization(db, id)
  for (;;) {
    const { found } = await petLists.listFull(db, { limit: BATCH_SIZE, sort: '-id', organizationId: id }, '')
    const own = found.filter(({ externalId }) => !externalId?.startsWith(`${DEMO_CODE}-`))
    if (!force) requireUnchanged({ 'animals of its own': own.length })
    const by = { keyId: null, organizationId: undefined }
    for (const pet of found) await deletePet(db, { id: pet.id, by, now, conditions: undefined })
    if (found.length === 0) break
  }
  await photos.deleteOrganization(db, id, now)
  // A visitor may have applied for a demo animal. Their personal data must not remain in the files.
  await markScrubDue(db)
}

/** @throws {ApiError} organization_in_use */
function requireUnchanged(counts: Record<string, number>): void {
  const used = Object.entries(counts).filter(([, count]) => count > 0)
  if (used.length === 0) return
  const what = used.map(([name, count]) => `${name}: ${count}`).join(', ')
  const message = `Nothing was removed, because the demo shelter contains data that is not part of the demo (${what}). To keep the shelter, change its code from ${DEMO_CODE}. To remove everything, run \`adoptable demo --remove --force\`.`
  throw new ApiError('organization_in_use', { message })
}
