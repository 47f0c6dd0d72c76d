import type { Db } from '../db/tables.ts'
import { ORGANIZATION_COLUMNS, type Stored, toOrganization } from './store.ts'

// All organizations: kept in memory, or range of ids by range.

/** So many are read at once. */
const PAGE = 500

/**
 * Reads all organizations, and keeps them: those that changed are read again.
 *
 * @param version another one when an organization may have changed
 */
export function readAll(db: Db, version: () => number): () => Promise<Stored[]> {
  let seen: number | undefined
  let known = new Map<number, { updatedAt: number; photos: string | null; one: Stored }>()
  return async () => {
    const at = version()
    if (at === seen) return [...known.values()].map(({ one }) => one)
    const rows = await db
      .selectFrom('organization')
      .select(['id', 'updated_at as updatedAt', 'photos'])
      .orderBy('id')
      .execute()
    const next = new Map<number, { updatedAt: number; photos: string | null; one: Stored }>()
    const changed: number[] = []
    for (const { id, updatedAt, photos } of rows) {
      const before = known.get(id)
      if (before?.updatedAt === updatedAt && before.photos === photos) next.set(id, before)
      else changed.push(id)
    }
    for (let from = 0; from < changed.length; from += PAGE) {
      const some = db.selectFrom('organization').select(ORGANIZATION_COLUMNS)
      for (const row of await some.where('id', 'in', changed.slice(from, from + PAGE)).execute())
        next.set(row.id, { updatedAt: row.updated_at, photos: row.photos, one: toOrganization(row) })
    }
    known = next
    seen = at
    return [...known.values()].map(({ one }) => one)
  }
}

/** The number of each range of so many ids that there may be; 0 for the ids 1 to `size`. */
export async function ranges(db: Db, size: number): Promise<number[]> {
  const last = await db
    .selectFrom('organization')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  return Array.from({ length: Math.ceil(Number(last?.id ?? 0) / size) }, (_, index) => index)
}

interface Listed {
  code: string
  /** Unix time in milliseconds. */
  updatedAt: number
}

/** Those with the ids from one to another. */
export async function between(db: Db, from: number, to: number): Promise<Listed[]> {
  return db
    .selectFrom('organization')
    .select(['code', 'updated_at as updatedAt'])
    .where('id', '>=', from)
    .where('id', '<=', to)
    .orderBy('id')
    .execute()
}
