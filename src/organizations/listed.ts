import type { Db } from '../db/tables.ts'

// All organizations, range of ids by range.

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
