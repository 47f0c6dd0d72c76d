import type { Role } from '../access.ts'
import { dialectOf } from '../db/dialect.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../db/engine-errors.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { insertStaffKey, updateStaffKey } from '../keys/store.ts'
import { endFirstLinks, endLinksOf, findLink, insertStaffLink, useUpLink } from './links.ts'
import {
  ACCESS_OF,
  foldEmail,
  foldInvitedEmail,
  invalidMember,
  mayManage,
  type NewPerson,
  type Position,
  requirePerson,
} from './roles.ts'
import { endSessionsOf, insertSession } from './session.ts'
import { find, type Staff } from './store.ts'

/** The person who manages other accounts. A command passes undefined and may manage all accounts. */
export type Authority = Position & { id: number }

/** @throws {ApiError} insufficient_access when the caller is not a member of staff */
export function authorityOf({ staff, organizationId }: Caller): Authority {
  if (!staff) throw notAllowed()
  return { id: staff.id, role: staff.role, organizationId }
}

/**
 * Adds an account without a password, and a link. The owner of the account opens the link to choose a
 * password.
 * @param link hash of the link's token
 * @returns the id of the account
 * @throws {ApiError} validation_failed, insufficient_access
 */
export async function inviteStaff(
  db: Db,
  person: NewPerson,
  by: Authority | undefined,
  link: string,
  now: number,
): Promise<number> {
  await requireCurrentAuthority(db, by)
  requireMayManage(by, person)
  if (await accountExists(db, person, by?.organizationId)) throw emailTaken()
  const { id } = await insertStaff(db, person, null, now)
  await insertStaffLink(db, { hash: link, staffId: id, kind: 'invitation' }, now)
  return id
}

/** Checks if an account has this address. Staff of an organization can only find accounts of their own. */
async function accountExists(db: Db, { email }: NewPerson, visibleTo: number | undefined): Promise<boolean> {
  const accounts = db.selectFrom('staff').select('id').where('folded_email', '=', foldEmail(email))
  const seen = visibleTo === undefined ? accounts : accounts.where('organization_id', '=', visibleTo)
  return (await seen.executeTakeFirst()) !== undefined
}

/** @throws {ApiError} validation_failed */
async function insertStaff(
  db: Db,
  person: NewPerson,
  password: string | null,
  now: number,
): Promise<{ id: number }> {
  requirePerson(person)
  const { email, name, role, organizationId } = person
  if (organizationId !== undefined) await requireOrganization(db, organizationId)
  // Ends the link for the first account, because that link creates an admin.
  await endFirstLinks(db)
  const folded_email = password === null ? foldInvitedEmail(person) : foldEmail(email)
  try {
    const key_id = await insertStaffKey(db, { access: ACCESS_OF[role], organizationId }, now)
    const columns = { key_id, email, folded_email, name, role, password, created_at: now }
    return await db
      .insertInto('staff')
      .values({ ...columns, organization_id: organizationId ?? null })
      .returning('id')
      .executeTakeFirstOrThrow()
  } catch (error) {
    // Another transaction has removed the organization since the check.
    if (isForeignKeyViolation(error)) throw unknownOrganization()
    throw isUniqueViolation(error) ? emailTaken() : error
  }
}

async function requireOrganization(db: Db, id: number): Promise<void> {
  const organization = db.selectFrom('organization').select('id').where('id', '=', id)
  if (!(await organization.executeTakeFirst())) throw unknownOrganization()
}

function unknownOrganization(): ApiError {
  const details = [invalidMember('organizationId', 'No organization has this id.')]
  return new ApiError('validation_failed', { details })
}

/**
 * Adds a link to choose a new password. The old password works until the person uses the link.
 * @returns false when no account has this id
 * @throws {ApiError} insufficient_access
 */
export async function resetStaff(
  db: Db,
  id: number,
  by: Authority | undefined,
  link: string,
  now: number,
): Promise<boolean> {
  await requireCurrentAuthority(db, by)
  const staff = await find(db, id)
  if (!staff) return false
  requireMayManage(by, positionOf(staff))
  const kind = staff.password === null ? 'invitation' : 'reset'
  await insertStaffLink(db, { hash: link, staffId: id, kind }, now)
  return true
}

/**
 * Changes a person's name or role. People cannot change their own role.
 * @returns false when no account has this id
 * @throws {ApiError} validation_failed, insufficient_access
 */
export async function updateStaff(
  db: Db,
  id: number,
  patch: { name?: string; role?: Role },
  by: Authority | undefined,
): Promise<boolean> {
  await requireCurrentAuthority(db, by)
  const staff = await find(db, id)
  if (!staff) return false
  const { name = staff.name, role = staff.role } = patch
  const changed = { email: staff.email, name, role, organizationId: staff.organizationId ?? undefined }
  const isOwn = by?.id === id
  if (isOwn ? role !== staff.role : by && !mayManage(by, positionOf(staff))) throw notAllowed()
  if (!isOwn) requireMayManage(by, changed)
  requirePerson(changed)
  await db.updateTable('staff').set({ name, role }).where('id', '=', id).execute()
  if (role !== staff.role) await updateStaffKey(db, staff.keyId, { access: ACCESS_OF[role] })
  return true
}

/**
 * Removes a person with all personal data, and ends their sessions. The history keeps the person's changes
 * without the name. People cannot remove their own account, so one admin always remains.
 * @returns false when no account has this id
 * @throws {ApiError} insufficient_access
 */
export async function removeStaff(
  db: Db,
  id: number,
  by: Authority | undefined,
  now: number,
): Promise<boolean> {
  await requireCurrentAuthority(db, by)
  const staff = await find(db, id)
  if (!staff) return false
  requireMayManage(by, positionOf(staff))
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

/** Refuses a manager who was just removed or changed. Of two admins who remove each other, one remains. */
async function requireCurrentAuthority(db: Db, by: Authority | undefined): Promise<void> {
  if (!by) return
  await dialectOf(db).lock(db, 'staff')
  const now = await find(db, by.id)
  if (now?.role !== by.role || positionOf(now).organizationId !== by.organizationId) throw notAllowed()
}

function requireMayManage(by: Authority | undefined, person: Position): void {
  if (by && !mayManage(by, person)) throw notAllowed()
}

function notAllowed(): ApiError {
  return new ApiError('insufficient_access', {
    message: 'Your role does not allow you to manage this account. Ask an admin to do it.',
  })
}

export function emailTaken(): ApiError {
  return new ApiError('validation_failed', {
    details: [
      invalidMember('email', 'An account with this e-mail address already exists. Use another address.'),
    ],
  })
}

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
