import type { Selectable } from 'kysely'
import { type Access, includesAccess } from '../access.ts'
import { isForeignKeyViolation } from '../db/engine-errors.ts'
import { insertSecret } from '../db/secrets.ts'
import type { Db, Tables } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { Limits, Plan } from '../plans.ts'

export interface NewKey {
  name: string
  plan: Plan
  access: Access
  /** Absent for a key of the whole installation. */
  organizationId?: number | undefined
  /** Only for enterprise keys. */
  limits?: Limits | undefined
}

export type Key = Omit<Selectable<Tables['api_key']>, 'for_staff'> & {
  /** The code of the key's organization. Null if the key has no organization. */
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

/** The values of `for_staff`: the key of a program, or a row through which a member of staff acts. */
const [FOR_PROGRAMS, FOR_STAFF] = [0, 1]

/** The name of the `secret` row that records that a first key was created. */
export const FIRST_KEY = 'first key'

function select(db: Db) {
  return db
    .selectFrom('api_key')
    .leftJoin('organization', 'organization.id', 'organization_id')
    .select(KEY_COLUMNS)
    .where('for_staff', '=', FOR_PROGRAMS)
}

interface KeyQuery {
  organizationId?: number | undefined
  after?: number
  limit?: number
  /** True to list only keys that are not revoked. */
  isActive?: boolean
}

/** Lists the keys of programs, but not of people, by id: all, those of an organization, or one page. */
export function list(db: Db, { organizationId, after, limit, isActive }: KeyQuery = {}): Promise<Key[]> {
  let rows = select(db).orderBy('api_key.id')
  if (organizationId !== undefined) rows = rows.where('organization_id', '=', organizationId)
  if (after !== undefined) rows = rows.where('api_key.id', '>', after)
  if (isActive) rows = rows.where('revoked_at', 'is', null)
  return (limit === undefined ? rows : rows.limit(limit)).execute()
}

/** Finds a key of a program. */
export function find(db: Db, id: number): Promise<Key | undefined> {
  return select(db).where('api_key.id', '=', id).executeTakeFirst()
}

/**
 * @returns the id of the key
 * @throws {ApiError} organization_not_found, also if another transaction is removing the organization
 */
export async function insertKey(db: Db, key: NewKey, hash: string, now: number): Promise<number> {
  const { name, plan, access, organizationId, limits } = key
  const figures = { per_minute: limits?.perMinute ?? null, per_day: limits?.perDay ?? null }
  const { id } = await db
    .insertInto('api_key')
    .values({ name, plan, access, organization_id: organizationId ?? null, ...figures, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch((error) => {
      throw isForeignKeyViolation(error) ? new ApiError('organization_not_found') : error
    })
  await db.insertInto('api_key_secret').values({ hash, key_id: id, created_at: now }).execute()
  return id
}

/** Checks whether the store has, or ever had, an admin key that belongs to a program. */
export async function hasAdminKey(db: Db): Promise<boolean> {
  const admin = db.selectFrom('api_key').select('id').where('access', '=', 'admin')
  return (await admin.where('for_staff', '=', FOR_PROGRAMS).limit(1).executeTakeFirst()) !== undefined
}

/**
 * Inserts the key, unless the store has or had an admin key. A revoked admin key also counts, because someone
 * revoked it on purpose.
 * @returns whether the key was inserted
 */
export async function insertFirstKey(db: Db, key: NewKey, hash: string, now: number): Promise<boolean> {
  if (await hasAdminKey(db)) return false
  // If several processes start at once, only one inserts the key.
  if (!(await insertSecret(db, FIRST_KEY, hash))) return false
  await insertKey(db, key, hash, now)
  return true
}

/** @returns false when the key does not exist or was already revoked */
export async function revokeKey(db: Db, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('for_staff', '=', FOR_PROGRAMS)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Revokes the keys of an organization and its staff. Detaches them, so the organization can be removed. */
export async function revokeOrganizationKeys(db: Db, organizationId: number, now: number): Promise<void> {
  await db
    .updateTable('api_key')
    .set(({ fn, val }) => ({ organization_id: null, revoked_at: fn.coalesce('revoked_at', val(now)) }))
    .where('organization_id', '=', organizationId)
    .execute()
}

/**
 * Adds a secret to a key. The key keeps its counters. Its other secrets expire after the overlap, or sooner
 * if a previous rotation has already set a sooner time.
 * @returns false when the key does not exist or was revoked
 */
export async function rotateKey(
  db: Db,
  id: number,
  hash: string,
  now: number,
  overlapMs: number,
): Promise<boolean> {
  const existing = db
    .selectFrom('api_key')
    .select('id')
    .where('id', '=', id)
    .where('for_staff', '=', FOR_PROGRAMS)
  if (!(await existing.where('revoked_at', 'is', null).executeTakeFirst())) return false
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

/** Finds a key that is not revoked, including keys of staff. */
export async function findActive(db: Db, id: number): Promise<Pick<Key, 'organization_id'> | undefined> {
  const live = db.selectFrom('api_key').select('organization_id').where('id', '=', id)
  return live.where('revoked_at', 'is', null).executeTakeFirst()
}

/** Checks that a key may still change data after a long request. @throws {ApiError} insufficient_access */
export async function requireWriteAccess(db: Db, id: number): Promise<void> {
  const key = await db
    .selectFrom('api_key')
    .select('access')
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!key || !includesAccess(key.access, 'write')) throw new ApiError('insufficient_access')
}

/** The name of every staff key, because only src/staff stores personal names. */
const STAFF_NAME = 'staff'

/** Inserts the key, without a secret, through which a member of staff acts. @returns its id */
export async function insertStaffKey(
  db: Db,
  { access, organizationId }: Pick<NewKey, 'access' | 'organizationId'>,
  now: number,
): Promise<number> {
  const { id } = await db
    .insertInto('api_key')
    .values({
      ...{ name: STAFF_NAME, plan: 'business', access, organization_id: organizationId ?? null },
      ...{ for_staff: FOR_STAFF, created_at: now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** @param change new access, or the time of revocation */
export async function updateStaffKey(
  db: Db,
  id: number,
  change: { access: Access } | { revoked_at: number },
): Promise<void> {
  await db
    .updateTable('api_key')
    .set(change)
    .where('id', '=', id)
    .where('for_staff', '=', FOR_STAFF)
    .execute()
}
