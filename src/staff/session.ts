import type { ExpressionBuilder } from 'kysely'
import type { Role } from '../access.ts'
import { changes } from '../db/change.ts'
import { prepareQuery } from '../db/prepared.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Job } from '../jobs/job.ts'

const HOUR_MS = 3_600_000

/** A session ends after this time without use, and after MAX_SESSION_MS in any case. */
const IDLE_MS = 12 * HOUR_MS
export const MAX_SESSION_MS = 30 * 24 * HOUR_MS
/** The last use of a session is stored at most once in this interval. */
export const SEEN_INTERVAL_MS = 5 * 60_000
/** Maximum number of sessions per person. A further session ends the least recently used session. */
const MAX_SESSIONS = 20

export interface OpenSession {
  staffId: number
  keyId: number
  name: string
  role: Role
  organizationId: number | null
  createdAt: number
  seenAt: number
}

export function isExpired(
  { createdAt, seenAt }: Pick<OpenSession, 'createdAt' | 'seenAt'>,
  now: number,
): boolean {
  return now - seenAt >= IDLE_MS || now - createdAt >= MAX_SESSION_MS
}

/** A prepared query is cheap. Strangers can cause many lookups by sending made-up session tokens. */
const findByHash = prepareQuery<{ hash: string }, OpenSession>((db, fill) =>
  db
    .selectFrom('staff_session')
    .innerJoin('staff', 'staff.id', 'staff_id')
    .select(['staff_id as staffId', 'key_id as keyId', 'name', 'role', 'organization_id as organizationId'])
    .select(['staff_session.created_at as createdAt', 'seen_at as seenAt'])
    .where('hash', '=', fill('hash')),
)

/** @returns undefined if the session is unknown or has expired */
export async function findSession(db: Db, hash: string, now: number): Promise<OpenSession | undefined> {
  const [session] = await findByHash(db, { hash })
  return session && !isExpired(session, now) ? session : undefined
}

/**
 * Begins a session, unless the password has changed since it was verified.
 * @param password the stored hash that was verified
 * @returns whether the session began
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

/** Records that a session is in use. If the clock was set back, the last use does not become earlier. */
export async function touchSession(db: Db, hash: string, now: number): Promise<void> {
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

/** Removes expired sessions and links. An expired session or link is invalid even before its removal. */
export const expiredSessions: Job = {
  isDue: ({ db, clock }) => hasExpired(db, clock()),
  run: async ({ write, clock }, mayContinue) => {
    if (await mayContinue()) await write(changes.removeExpiredSessions, clock())
  },
}

async function hasExpired(db: Db, now: number): Promise<boolean> {
  const sessions = db.selectFrom('staff_session').select('hash').where(whereExpired(now)).limit(1)
  const links = db.selectFrom('staff_link').select('hash').where('expires_at', '<=', now).limit(1)
  return Boolean((await sessions.executeTakeFirst()) ?? (await links.executeTakeFirst()))
}

export async function removeExpiredSessions(db: Db, now: number): Promise<void> {
  await db.deleteFrom('staff_session').where(whereExpired(now)).execute()
  await db.deleteFrom('staff_link').where('expires_at', '<=', now).execute()
}

function whereExpired(now: number) {
  return ({ eb }: ExpressionBuilder<Tables, 'staff_session'>) =>
    eb.or([eb('seen_at', '<=', now - IDLE_MS), eb('created_at', '<=', now - MAX_SESSION_MS)])
}
