import { deletePet } from '../applications/pet-changes.ts'
import * as applications from '../applications/store.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import * as keys from '../keys/store.ts'
import { markScrubDue } from '../orders/adopters.ts'
import * as orders from '../orders/store.ts'
import type { NewOrganization } from '../organizations/schema.ts'
import * as organizations from '../organizations/store.ts'
import * as petLists from '../pets/list.ts'
import * as photos from '../photos/store.ts'
import { removeStaff } from '../staff/accounts.ts'
import * as staff from '../staff/store.ts'

/** The organization code that identifies the demo shelter. */
export const DEMO_CODE = 'DEMO'

/** The place of the demo animals: a city center. */
export const DEMO_PLACE = { city: 'Denver', region: 'CO', country: 'US', postcode: '80202' }

/** The demo shelter. Its telephone number is fictitious, and its address has no street. */
export const DEMO_SHELTER: NewOrganization = {
  code: DEMO_CODE,
  name: 'Demo Shelter',
  email: 'shelter@example.org',
  phone: '555-0100',
  address: DEMO_PLACE,
  mission:
    'This shelter and its animals are made up, so you can look around. The command “adoptable demo --remove” removes them.',
  adoptionPolicy:
    'Tell us about your home and what you are looking for. We answer within three days, and you meet the animal first.',
  hours: {
    tuesday: '12:00–18:00',
    wednesday: '12:00–18:00',
    thursday: '12:00–18:00',
    friday: '12:00–18:00',
    saturday: '10:00–16:00',
  },
}

const BATCH_SIZE = 100

/**
 * Removes the demo shelter with everything that belongs to it.
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
