import type { Selectable } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import type { Db, Tables } from '../db/tables.ts'

// The followed installations. See decision 33.

/** After this time without a write, other processes may take over the sources of a process. */
const LEASE_MS = 60_000
/** A source without changes is recorded as read more often. */
const MAX_SILENCE_MS = 30_000

/** A source that one process follows. */
export interface LeasedSource {
  id: number
  holder: string
  url: string
  apiKey: string
  after: string | null
}

export type Lease = Pick<LeasedSource, 'id' | 'holder'>

interface NewSource {
  url: string
  apiKey: string
  /** The organization that gets the copies. Undefined: each organization of the source is copied too. */
  organizationId: number | undefined
}

export async function insertSource(
  db: Db,
  { url, apiKey, organizationId }: NewSource,
  now: number,
): Promise<number> {
  const values = { url, api_key: apiKey, organization_id: organizationId ?? null, created_at: now }
  return (await db.insertInto('followed').values(values).returning('id').executeTakeFirstOrThrow()).id
}

/** Lists the sources, without their keys. @param now Unix time in milliseconds */
export async function listSources(db: Db, now: number) {
  const rows = await db
    .selectFrom('followed')
    .select([
      'id',
      'url',
      'organization_id',
      'after',
      'ending',
      'leased_until',
      'read_at',
      'lag_ms',
      'last_error',
    ])
    .select(({ selectFrom }) =>
      selectFrom('followed_pet')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('followed_id', '=', 'followed.id')
        .as('copies'),
    )
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    organizationId: row.organization_id ?? undefined,
    state: stateOf(row, now),
    copies: Number(row.copies),
    readAt: row.read_at === null ? undefined : new Date(row.read_at).toISOString(),
    lagSeconds: lagOf(row, now),
    lastError: row.last_error ?? undefined,
  }))
}

/** The columns that tell how a source is followed. */
export type SourceState = Pick<
  Selectable<Tables['followed']>,
  'after' | 'ending' | 'leased_until' | 'read_at' | 'lag_ms' | 'last_error'
>

export function stateOf({ after, ending, leased_until, last_error }: SourceState, now: number): string {
  if (ending === 1) return 'ending'
  if (leased_until <= now - LEASE_MS) return 'not read'
  if (last_error !== null) return 'failing'
  return after === null ? 'copying' : 'following'
}

/**
 * How far the copies are behind, in seconds: the delay of the last copied change, plus the time since the
 * source last answered, if that is long. Undefined before everything was copied.
 */
export function lagOf({ read_at, lag_ms }: SourceState, now: number): number | undefined {
  if (read_at === null || lag_ms === null) return undefined
  const silence = now - read_at
  return Math.round(lag_ms + (silence > MAX_SILENCE_MS ? silence : 0)) / 1_000
}

const available = (db: Db, now: number) =>
  db.selectFrom('followed').select('id').where('ending', '=', 0).where('leased_until', '<=', now)

export async function hasAvailable(db: Db, now: number): Promise<boolean> {
  return (await available(db, now).limit(1).executeTakeFirst()) !== undefined
}

/** Leases sources that no process follows. */
export async function leaseSources(
  db: Db,
  holder: string,
  limit: number,
  now: number,
): Promise<LeasedSource[]> {
  const rows = await dialectOf(db).lockRows(available(db, now).orderBy('id').limit(limit), 'skip').execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const leased = await db
    .updateTable('followed')
    .set({ holder, leased_until: now + LEASE_MS })
    .where('id', 'in', ids)
    .returning(['id', 'url', 'api_key as apiKey', 'after'])
    .execute()
  return leased.map((source) => ({ ...source, holder }))
}

/** Releases the sources of a process. @param holder the beginning of the names of its leases */
export async function releaseSources(db: Db, holder: string): Promise<void> {
  await db
    .updateTable('followed')
    .set({ holder: null, leased_until: 0 })
    .where('holder', 'like', `${holder}/%`)
    .execute()
}

/** The result of reading a source. */
export interface Progress {
  /** Null if all animals must be copied again. */
  after?: string | null
  lagMs?: number
  /** Why the source cannot be read. Absent if it was read. */
  error?: string
}

/** Stores the progress, and renews the lease. @returns false if the process no longer has the lease */
export async function recordProgress(
  db: Db,
  { id, holder }: Lease,
  { after, lagMs, error }: Progress,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('followed')
    .set({
      ...(after !== undefined && { after }),
      ...(lagMs !== undefined && { lag_ms: lagMs }),
      ...(error === undefined ? { read_at: now, last_error: null } : { last_error: error }),
      leased_until: now + LEASE_MS,
    })
    .where('id', '=', id)
    .where('holder', '=', holder)
    .where('ending', '=', 0)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function listSourceIds(db: Db, followedId: number): Promise<number[]> {
  const rows = db.selectFrom('followed_pet').select('source_id').where('followed_id', '=', followedId)
  return (await rows.execute()).map((row) => row.source_id)
}

/** Gives a source a new key. The process that follows it begins again with the new key. */
export async function replaceSourceKey(db: Db, id: number, apiKey: string): Promise<void> {
  const fresh = { api_key: apiKey, holder: null, leased_until: 0 }
  await db.updateTable('followed').set(fresh).where('id', '=', id).where('ending', '=', 0).execute()
}

/** Marks a source for removal, so no process leases it again. */
export async function beginEnding(db: Db, id: number): Promise<void> {
  await db.updateTable('followed').set({ ending: 1, holder: null }).where('id', '=', id).execute()
}

/** Removes a source that has no copies. */
export async function deleteSource(db: Db, id: number): Promise<void> {
  await db.deleteFrom('followed').where('id', '=', id).execute()
}
