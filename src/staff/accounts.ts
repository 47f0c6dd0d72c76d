import type { Role } from '../access.ts'
import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { isUniqueViolation } from '../db/violation.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { insertStaffKey, updateStaffKey } from '../keys/store.ts'
import { endFirstLinks, endLinksOf, insertStaffLink } from './links.ts'
import { foldEmail, type NewPerson, requirePerson, wrong } from './person.ts'
import { ACCESS_OF, mayManage, type Position } from './roles.ts'
import { endSessionsOf } from './session.ts'
import { find, findByEmail, type Staff } from './store.ts'

/** Who decides about others; absent of a command, which may all. */
export type Authority = Position & { id: number }

/** @throws {ApiError} insufficient_access for who is none of the staff */
export function authorityOf({ staff, organizationId }: Caller): Authority {
  if (!staff) throw notAllowed()
  return { id: staff.id, role: staff.role, organizationId }
}

/**
 * Adds somebody who has no password yet, and the link by which they choose one.
 *
 * @param link hash of its token
 * @returns the new id
 * @throws {ApiError} validation_failed, insufficient_access
 */
export async function inviteStaff(
  db: Db,
  person: NewPerson,
  by: Authority | undefined,
  link: string,
  now: number,
): Promise<number> {
  await requireStanding(db, by)
  requireManages(by, person)
  const { id } = await insert(db, person, null, now)
  await insertStaffLink(db, { hash: link, staffId: id, kind: 'invitation' }, now)
  return id
}

/** @throws {ApiError} validation_failed */
export async function insert(
  db: Db,
  person: NewPerson,
  password: string | null,
  now: number,
): Promise<{ id: number }> {
  requirePerson(person)
  const { email, name, role, organizationId } = person
  if (await findByEmail(db, email)) throw emailTaken()
  if (organizationId !== undefined) await requireOrganization(db, organizationId)
  // Whoever has the link that makes the first account would be an admin too.
  await endFirstLinks(db)
  const key_id = await insertStaffKey(db, { access: ACCESS_OF[role], organizationId }, now)
  const columns = { key_id, email, folded_email: foldEmail(email), name, role, password, created_at: now }
  try {
    return await db
      .insertInto('staff')
      .values({ ...columns, organization_id: organizationId ?? null })
      .returning('id')
      .executeTakeFirstOrThrow()
  } catch (error) {
    // Somebody was faster, where a store lets two transactions read at once.
    throw isUniqueViolation(error) ? emailTaken() : error
  }
}

async function requireOrganization(db: Db, id: number): Promise<void> {
  const organization = db.selectFrom('organization').select('id').where('id', '=', id)
  if (await organization.executeTakeFirst()) return
  const details = [wrong('organizationId', 'There is no such organization.')]
  throw new ApiError('validation_failed', { details })
}

/**
 * Makes a link by which somebody chooses a new password. The old one works until then.
 *
 * @returns false when there is nobody with this id
 * @throws {ApiError} insufficient_access
 */
export async function resetStaff(
  db: Db,
  id: number,
  by: Authority | undefined,
  link: string,
  now: number,
): Promise<boolean> {
  await requireStanding(db, by)
  const staff = await find(db, id)
  if (!staff) return false
  requireManages(by, positionOf(staff))
  const kind = staff.password === null ? 'invitation' : 'reset'
  await insertStaffLink(db, { hash: link, staffId: id, kind }, now)
  return true
}

/**
 * Changes what somebody is called, or what they may do; of themselves nobody changes the role.
 *
 * @returns false when there is nobody with this id
 * @throws {ApiError} validation_failed, insufficient_access
 */
export async function updateStaff(
  db: Db,
  id: number,
  patch: { name?: string; role?: Role },
  by: Authority | undefined,
): Promise<boolean> {
  await requireStanding(db, by)
  const staff = await find(db, id)
  if (!staff) return false
  const { name = staff.name, role = staff.role } = patch
  const changed = { email: staff.email, name, role, organizationId: staff.organizationId ?? undefined }
  const isOwn = by?.id === id
  if (isOwn ? role !== staff.role : by && !mayManage(by, positionOf(staff))) throw notAllowed()
  if (!isOwn) requireManages(by, changed)
  requirePerson(changed)
  await db.updateTable('staff').set({ name, role }).where('id', '=', id).execute()
  if (role !== staff.role) await updateStaffKey(db, staff.keyId, { access: ACCESS_OF[role] })
  return true
}

/**
 * Removes somebody with all that is personal, and ends their sessions. What they did stays, done by somebody
 * who is not known any more. Nobody removes themselves, so that the last admin does not either.
 *
 * @returns false when there is nobody with this id
 * @throws {ApiError} insufficient_access
 */
export async function removeStaff(
  db: Db,
  id: number,
  by: Authority | undefined,
  now: number,
): Promise<boolean> {
  await requireStanding(db, by)
  const staff = await find(db, id)
  if (!staff) return false
  requireManages(by, positionOf(staff))
  if (by?.id === id) throw notAllowed()
  await endSessionsOf(db, id)
  await endLinksOf(db, id)
  await db.deleteFrom('staff').where('id', '=', id).execute()
  await updateStaffKey(db, staff.keyId, { revoked_at: now })
  return true
}

function positionOf({ role, organizationId }: Staff): Position {
  return { role, organizationId: organizationId ?? undefined }
}

/**
 * Whoever was removed or given another role a moment ago decides nothing more: of two admins who remove each
 * other at once, one remains.
 */
async function requireStanding(db: Db, by: Authority | undefined): Promise<void> {
  if (!by) return
  await dialectOf(db).waitInHand(db, 'staff')
  const now = await find(db, by.id)
  if (now?.role !== by.role || positionOf(now).organizationId !== by.organizationId) throw notAllowed()
}

function requireManages(by: Authority | undefined, whom: Position): void {
  if (by && !mayManage(by, whom)) throw notAllowed()
}

function notAllowed(): ApiError {
  return new ApiError('insufficient_access', {
    message: 'Your role does not let you decide about this person.',
  })
}

function emailTaken(): ApiError {
  return new ApiError('validation_failed', {
    details: [wrong('email', 'Somebody has an account with this e-mail address already.')],
  })
}
