import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import * as pets from '../pets/store.ts'
import type { NewApplication } from './schema.ts'
import { APPLICATION_COLUMNS, type Stored, takeInHand, toStored } from './store.ts'

/** Who sends an application, and when (Unix time in milliseconds). */
export interface Sending {
  /** The key; null for a visitor with the form. */
  by: Actor | null
  /** Of the private link (`newToken`); an application that has it already is the same, sent again. */
  linkHash?: string | undefined
  now: number
}

/**
 * Adds an application for an animal that looks for a home or is reserved; there may be many for each.
 *
 * @throws {ApiError} pet_not_found, other_organization, pet_not_available
 */
export async function insertApplication(
  db: Db,
  application: NewApplication,
  { by, linkHash, now }: Sending,
): Promise<Stored> {
  const { petId } = application
  // What becomes of the animal closes all its applications: none slips in behind that.
  await takeInHand(db, [petId])
  const known = linkHash === undefined ? undefined : await findByHash(db, linkHash)
  if (known) return known
  const stored = await pets.find(db, BigInt(petId))
  if (!stored) throw new ApiError('pet_not_found')
  const { organizationId, status } = stored.pet
  if (by) requireOwn(by, organizationId)
  if (status !== 'available' && status !== 'pending') {
    const message = `This animal does not look for a home: it is ${status ?? 'not listed'}.`
    throw new ApiError('pet_not_available', { message })
  }
  const row = await db
    .insertInto('application')
    .values({
      pet_id: stored.pet.id,
      organization_id: organizationId === undefined ? null : Number(organizationId),
      status: 'received',
      applicant: textOf(application),
      link_hash: linkHash ?? null,
      placed_by: by?.keyId ?? null,
      received_at: now,
    })
    .returning(APPLICATION_COLUMNS)
    .executeTakeFirstOrThrow()
  return toStored(row)
}

async function findByHash(db: Db, linkHash: string): Promise<Stored | undefined> {
  const known = db.selectFrom('application').select(APPLICATION_COLUMNS).where('link_hash', '=', linkHash)
  const row = await known.executeTakeFirst()
  return row && toStored(row)
}

/** What is erased one day, without what nobody asked for. */
function textOf({ applicant: { name, email, phone, address }, message, answers }: NewApplication): string {
  return JSON.stringify({
    applicant: { name, email, phone, address },
    message,
    answers: answers?.map(({ question, answer }) => ({ question, answer })),
  })
}
