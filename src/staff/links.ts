import type { Db } from '../db/tables.ts'

export const LINK_LIFETIME_MS = 72 * 3_600_000

export type LinkKind = 'first' | 'invitation' | 'reset'

export interface OpenLink {
  kind: LinkKind
  /** The person who chooses a password; absent for the link of the first account. */
  staff?: { id: number; email: string; name: string }
}

/** Adds a link for a person, and ends the person's earlier links. */
export async function insertStaffLink(
  db: Db,
  { hash, staffId, kind }: { hash: string; staffId: number; kind: 'invitation' | 'reset' },
  now: number,
): Promise<void> {
  await endLinksOf(db, staffId)
  await db
    .insertInto('staff_link')
    .values({ hash, staff_id: staffId, kind, expires_at: now + LINK_LIFETIME_MS })
    .execute()
}

/** Adds the link that creates the first account. @returns false if the store already has an account */
export async function insertFirstLink(db: Db, hash: string, now: number): Promise<boolean> {
  if (await db.selectFrom('staff').select('id').limit(1).executeTakeFirst()) return false
  await endFirstLinks(db)
  const link = { hash, staff_id: null, kind: 'first', expires_at: now + LINK_LIFETIME_MS } as const
  await db.insertInto('staff_link').values(link).execute()
  return true
}

/** @returns undefined if the link is used, expired or unknown */
export async function findLink(db: Db, hash: string, now: number): Promise<OpenLink | undefined> {
  const link = await db
    .selectFrom('staff_link')
    .leftJoin('staff', 'staff.id', 'staff_id')
    .select(['kind', 'staff.id', 'email', 'name'])
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (!link) return undefined
  const { kind, id, email, name } = link
  return { kind, ...(id !== null && { staff: { id, email: email ?? '', name: name ?? '' } }) }
}

/** Uses a link up. @returns false if another request used the link first */
export async function useUpLink(db: Db, hash: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('staff_link').where('hash', '=', hash).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function endLinksOf(db: Db, staffId: number): Promise<void> {
  await db.deleteFrom('staff_link').where('staff_id', '=', staffId).execute()
}

export async function endFirstLinks(db: Db): Promise<void> {
  await db.deleteFrom('staff_link').where('kind', '=', 'first').execute()
}
