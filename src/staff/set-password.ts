import type { Db } from '../db/tables.ts'
import { isUniqueViolation } from '../db/violations.ts'
import { emailTaken, insertStaff } from './accounts.ts'
import { endLinksOf, findLink, useUpLink } from './links.ts'
import { foldEmail } from './person.ts'
import { endSessionsOf, insertSession } from './session.ts'

/** The choices of the person who follows a link. */
export interface LinkUse {
  /** The hash of the password for the store. */
  password: string
  /** The hash of the token of the new session. */
  session: string
  /** Set only for the link of the first account. */
  first?: { email: string; name: string }
}

/**
 * Uses a link up: sets a person's password, or makes the first account. Ends all earlier sessions.
 *
 * @returns undefined when the link is used or expired
 * @throws {ApiError} validation_failed
 */
export async function followLink(
  db: Db,
  hash: string,
  { password, session, first }: LinkUse,
  now: number,
): Promise<{ staffId: number } | undefined> {
  const link = await findLink(db, hash, now)
  if (!link || (link.kind === 'first') !== (first !== undefined)) return undefined
  // If two requests follow the link at the same time, one wins.
  if (!(await useUpLink(db, hash))) return undefined
  if (link.staff) await claimEmail(db, link.staff)
  const staffId = link.staff?.id ?? (await insertFirst(db, first, password, now))
  await setPassword(db, staffId, password, session, now)
  return { staffId }
}

/**
 * Reserves the address for this person. Several invitations may have the same address, and the first person
 * who follows a link gets it.
 *
 * @throws {ApiError} validation_failed when another account has it
 */
async function claimEmail(db: Db, { id, email }: { id: number; email: string }): Promise<void> {
  try {
    const claim = db
      .updateTable('staff')
      .set({ folded_email: foldEmail(email) })
      .where('id', '=', id)
    await claim.execute()
  } catch (error) {
    throw isUniqueViolation(error) ? emailTaken() : error
  }
}

async function insertFirst(db: Db, first: LinkUse['first'], password: string, now: number): Promise<number> {
  const { email = '', name = '' } = first ?? {}
  return (await insertStaff(db, { email, name, role: 'admin' }, password, now)).id
}

/** Sets a password, ends all sessions and links of the person, and begins a new session. */
async function setPassword(
  db: Db,
  staffId: number,
  password: string,
  session: string,
  now: number,
): Promise<void> {
  await db.updateTable('staff').set({ password }).where('id', '=', staffId).execute()
  await endSessionsOf(db, staffId)
  await endLinksOf(db, staffId)
  await insertSession(db, staffId, session, now)
}

/**
 * Changes a password, unless it has changed since it was verified.
 *
 * @param before the stored hash that was verified
 * @returns false when the password has changed or the person was removed
 */
export async function changePassword(
  db: Db,
  staffId: number,
  { before, password, session }: { before: string; password: string; session: string },
  now: number,
): Promise<boolean> {
  const staff = db.selectFrom('staff').select('id').where('id', '=', staffId).where('password', '=', before)
  if (!(await staff.executeTakeFirst())) return false
  await setPassword(db, staffId, password, session, now)
  return true
}
