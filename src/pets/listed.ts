import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import type { PetStatus } from './fields.ts'

// The animals in some statuses, range of ids by range: each is read along an index.

/**
 * The ranges that have any, each by its number: 0 for the ids 1 to `size`. Reads one row for each of them,
 * however many animals it has.
 */
export async function ranges(db: Db, statuses: readonly PetStatus[], size: number): Promise<number[]> {
  const found = new Set<number>()
  for (const status of statuses) {
    const { rows } = await sql<{ number: number }>`
      with recursive part (number) as (
        select (min(id) - 1) / ${sql.lit(size)} from pet where status = ${status}
        union all
        select (select (min(id) - 1) / ${sql.lit(size)} from pet
          where status = ${status} and id > (part.number + 1) * ${sql.lit(size)})
        from part where part.number is not null
      )
      select number from part where number is not null`.execute(db)
    for (const { number } of rows) found.add(Number(number))
  }
  return [...found].sort((one, other) => one - other)
}

interface Listed {
  id: number
  name: string
  /** Unix time in milliseconds. */
  updatedAt: number
}

/** Those with the ids from one to another. */
export async function between(
  db: Db,
  statuses: readonly PetStatus[],
  from: number,
  to: number,
): Promise<Listed[]> {
  return db
    .selectFrom('pet')
    .select(['id', 'name', 'updated_at as updatedAt'])
    .where('status', 'in', statuses)
    .where('id', '>=', from)
    .where('id', '<=', to)
    .orderBy('id')
    .execute()
}
