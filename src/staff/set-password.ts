import type { Db } from '../db/tables.ts'
import { insert } from './accounts.ts'
import { endLinksOf, findLink, takeLink } from './links.ts'
import { endSessionsOf, insertSession } from './session.ts'

/** What a link is used for: the password as it is kept, the session that begins, and who the first one is. */
export interface LinkUse {
  password: string
  session: string
  first?: { email: string; name: string }
}

/**
 * Uses a link up: gives somebody their password, or makes the first account. All sessions before are over.
 *
 * @returns undefined when it was used before, or is over
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
  // Of two who follow it at once, one.
  if (!(await takeLink(db, hash))) return undefined
  const staffId = link.staff?.id ?? (await insertFirst(db, first, password, now))
  await setPassword(db, staffId, password, session, now)
  return { staffId }
}

async function insertFirst(db: Db, first: LinkUse['first'], password: string, now: number): Promise<number> {
  const { email = '', name = '' } = first ?? {}
  return (await insert(db, { email, name, role: 'admin' }, password, now)).id
}

/** Ends all sessions and links of somebody but for a session that begins. */
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
 * @param before the password that was verified, as it is kept
 * @returns false when it was changed meanwhile, or the person removed
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
