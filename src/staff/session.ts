import type { ExpressionBuilder } from 'kysely'
import type { Role } from '../access.ts'
import { changes } from '../db/change.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Job } from '../jobs/job.ts'

const HOUR_MS = 3_600_000

/** A session ends when nobody has used it for so long, and after so long in any case. */
const IDLE_MS = 12 * HOUR_MS
export const LONGEST_MS = 30 * 24 * HOUR_MS
/** So often at most it is written down that a session is in use. */
export const SEEN_EVERY_MS = 5 * 60_000
/** Of one person, on so many devices; a further one ends the one that was used least lately. */
const MAX_SESSIONS = 20

/** A session, and whose it is. */
export interface OpenSession {
  staffId: number
  keyId: number
  name: string
  role: Role
  organizationId: number | null
  createdAt: number
  seenAt: number
}

export function isOver(
  { createdAt, seenAt }: Pick<OpenSession, 'createdAt' | 'seenAt'>,
  now: number,
): boolean {
  return now - seenAt >= IDLE_MS || now - createdAt >= LONGEST_MS
}

/** @returns undefined also for one that is over */
export async function findSession(db: Db, hash: string, now: number): Promise<OpenSession | undefined> {
  const session = await db
    .selectFrom('staff_session')
    .innerJoin('staff', 'staff.id', 'staff_id')
    .select(['staff_id as staffId', 'key_id as keyId', 'name', 'role', 'organization_id as organizationId'])
    .select(['staff_session.created_at as createdAt', 'seen_at as seenAt'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  return session && !isOver(session, now) ? session : undefined
}

/**
 * @param password the one that was verified: if it was changed meanwhile, nobody is signed in by it
 * @returns whether it begins
 */
export async function beginSession(
  db: Db,
  { staffId, password, hash }: { staffId: number; password: string; hash: string },
  now: number,
): Promise<boolean> {
  const staff = db.selectFrom('staff').select('id').where('id', '=', staffId).where('password', '=', password)
  if (!(await staff.executeTakeFirst())) return false
  await insertSession(db, staffId, hash, now)
  return true
}

export async function insertSession(db: Db, staffId: number, hash: string, now: number): Promise<void> {
  const stale = db
    .selectFrom('staff_session')
    .select('hash')
    .where('staff_id', '=', staffId)
    .orderBy('seen_at', 'desc')
    .orderBy('hash')
    .offset(MAX_SESSIONS - 1)
    .limit(MAX_SESSIONS)
  const hashes = (await stale.execute()).map((row) => row.hash)
  if (hashes.length > 0) await db.deleteFrom('staff_session').where('hash', 'in', hashes).execute()
  await db
    .insertInto('staff_session')
    .values({ hash, staff_id: staffId, created_at: now, seen_at: now })
    .execute()
}

/** A clock that was set back makes no session older. */
export async function seeSession(db: Db, hash: string, now: number): Promise<void> {
  await db
    .updateTable('staff_session')
    .set({ seen_at: now })
    .where('hash', '=', hash)
    .where('seen_at', '<', now)
    .execute()
}

export async function endSession(db: Db, hash: string): Promise<void> {
  await db.deleteFrom('staff_session').where('hash', '=', hash).execute()
}

export async function endSessionsOf(db: Db, staffId: number): Promise<void> {
  await db.deleteFrom('staff_session').where('staff_id', '=', staffId).execute()
}

/** Removes sessions and links that are over. They count no more in any case. */
export const expiredSessions: Job = {
  isDue: ({ db, clock }) => hasExpired(db, clock()),
  run: async ({ write, clock }, mayGoOn) => {
    if (await mayGoOn()) await write(changes.removeExpiredSessions, clock())
  },
}

async function hasExpired(db: Db, now: number): Promise<boolean> {
  const sessions = db.selectFrom('staff_session').select('hash').where(isPast(now)).limit(1)
  const links = db.selectFrom('staff_link').select('hash').where('expires_at', '<=', now).limit(1)
  return Boolean((await sessions.executeTakeFirst()) ?? (await links.executeTakeFirst()))
}

export async function removeExpiredSessions(db: Db, now: number): Promise<void> {
  await db.deleteFrom('staff_session').where(isPast(now)).execute()
  await db.deleteFrom('staff_link').where('expires_at', '<=', now).execute()
}

function isPast(now: number) {
  return ({ eb }: ExpressionBuilder<Tables, 'staff_session'>) =>
    eb.or([eb('seen_at', '<=', now - IDLE_MS), eb('created_at', '<=', now - LONGEST_MS)])
}
