import type { Selectable } from 'kysely'
import type { Access } from '../access.ts'
import { insertSecret } from '../db/secrets.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Limits, Plan } from '../plans.ts'

export interface NewKey {
  name: string
  plan: Plan
  access: Access
  /** Absent for one that belongs to the whole installation. */
  organizationId?: number | undefined
  /** Of an enterprise key only. */
  limits?: Limits | undefined
}

export type Key = Omit<Selectable<Tables['api_key']>, 'for_staff'> & {
  /** The code of its organization. */
  organization: string | null
}

const KEY_COLUMNS = [
  'api_key.id',
  'api_key.name',
  'plan',
  'access',
  'per_minute',
  'per_day',
  'organization_id',
  'code as organization',
  'api_key.created_at',
  'revoked_at',
] as const

/** `for_staff` of the keys that programs have, and of the rows through which members of staff act. */
const [OF_PROGRAMS, OF_STAFF] = [0, 1]

/** The secret that stands for a first key that was made. */
export const FIRST_KEY = 'first key'

function select(db: Db) {
  return db
    .selectFrom('api_key')
    .leftJoin('organization', 'organization.id', 'organization_id')
    .select(KEY_COLUMNS)
    .where('for_staff', '=', OF_PROGRAMS)
}

interface Part {
  organizationId?: number | undefined
  after?: number
  limit?: number
}

/** Those that programs have: all, those of one organization, or a page of them. */
export function list(db: Db, { organizationId, after, limit }: Part = {}): Promise<Key[]> {
  let rows = select(db).orderBy('api_key.id')
  if (organizationId !== undefined) rows = rows.where('organization_id', '=', organizationId)
  if (after !== undefined) rows = rows.where('api_key.id', '>', after)
  return (limit === undefined ? rows : rows.limit(limit)).execute()
}

/** One that a program has. */
export function find(db: Db, id: number): Promise<Key | undefined> {
  return select(db).where('api_key.id', '=', id).executeTakeFirst()
}

/** @returns the new key's id */
export async function insertKey(db: Db, key: NewKey, hash: string, now: number): Promise<number> {
  const { name, plan, access, organizationId, limits } = key
  const figures = { per_minute: limits?.perMinute ?? null, per_day: limits?.perDay ?? null }
  const { id } = await db
    .insertInto('api_key')
    .values({ name, plan, access, organization_id: organizationId ?? null, ...figures, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('api_key_secret').values({ hash, key_id: id, created_at: now }).execute()
  return id
}

/** Whether the store has, or had, an admin key of a program. */
export async function hasAdminKey(db: Db): Promise<boolean> {
  const admin = db.selectFrom('api_key').select('id').where('access', '=', 'admin')
  return (await admin.where('for_staff', '=', OF_PROGRAMS).limit(1).executeTakeFirst()) !== undefined
}

/**
 * Inserts the key unless the store has, or ever had, an admin key: one that was revoked was meant to be.
 *
 * @returns whether it did
 */
export async function insertFirstKey(db: Db, key: NewKey, hash: string, now: number): Promise<boolean> {
  if (await hasAdminKey(db)) return false
  // Of several processes that start at once one makes it.
  if (!(await insertSecret(db, FIRST_KEY, hash))) return false
  await insertKey(db, key, hash, now)
  return true
}

/** @returns false when there is no such key, or it was revoked before */
export async function revokeKey(db: Db, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('for_staff', '=', OF_PROGRAMS)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Adds a second secret to a key, which keeps its counters; the ones before end with the overlap, or sooner
 * if an earlier rotation said so.
 *
 * @returns false when there is no such key, or it was revoked
 */
export async function rotateKey(
  db: Db,
  id: number,
  hash: string,
  now: number,
  overlapMs: number,
): Promise<boolean> {
  const own = db.selectFrom('api_key').select('id').where('id', '=', id).where('for_staff', '=', OF_PROGRAMS)
  if (!(await own.where('revoked_at', 'is', null).executeTakeFirst())) return false
  const end = now + overlapMs
  await db
    .updateTable('api_key_secret')
    .set({ expires_at: end })
    .where('key_id', '=', id)
    .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', end)]))
    .execute()
  await db.insertInto('api_key_secret').values({ hash, key_id: id, created_at: now }).execute()
  return true
}

/** What acts through a key that was not revoked: of a program, or of somebody of the staff. */
export async function findLive(db: Db, id: number): Promise<Pick<Key, 'organization_id'> | undefined> {
  const live = db.selectFrom('api_key').select('organization_id').where('id', '=', id)
  return live.where('revoked_at', 'is', null).executeTakeFirst()
}

/** Says nothing of the person, of whom only src/staff knows. */
const STAFF_NAME = 'staff'

/**
 * The row through which a member of staff acts: it has no secret, so that no request can carry it.
 *
 * @returns its id
 */
export async function insertStaffKey(
  db: Db,
  { access, organizationId }: Pick<NewKey, 'access' | 'organizationId'>,
  now: number,
): Promise<number> {
  const { id } = await db
    .insertInto('api_key')
    .values({
      ...{ name: STAFF_NAME, plan: 'business', access, organization_id: organizationId ?? null },
      ...{ for_staff: OF_STAFF, created_at: now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @param change another access, or the time from which on nobody acts through it */
export async function updateStaffKey(
  db: Db,
  id: number,
  change: { access: Access } | { revoked_at: number },
): Promise<void> {
  await db.updateTable('api_key').set(change).where('id', '=', id).where('for_staff', '=', OF_STAFF).execute()
}
