import { sql } from 'kysely'
import { NodeSqliteAdapter } from './sqlite.ts'
import type { Db } from './tables.ts'

export interface Settled<Row> {
  found: Row[]
  /** Where rows were cut off, since one below them may still come: the first id that they can have. */
  cutFrom?: number
}

/**
 * For a walk from the lowest id of an animal to the highest that is to meet each of them. PostgreSQL gives
 * ids before it commits: what is there already is cut off where a lower id may still come. The embedded store
 * makes one change after the other.
 */
export async function readSettled<Row extends { id: number }>(
  db: Db,
  read: (db: Db) => Promise<Row[]>,
): Promise<Settled<Row>> {
  if (db.getExecutor().adapter instanceof NodeSqliteAdapter) return { found: await read(db) }
  return db.connection().execute(async (one) => {
    // Before the rows are read: who has committed by now has none below that is not seen.
    const { rows } = await sql<{ id: number }>`select settled_pets() as id`.execute(one)
    const cutFrom = rows[0]?.id ?? 0
    const all = await read(one)
    const found = all.filter(({ id }) => id < cutFrom)
    return found.length < all.length ? { found, cutFrom } : { found }
  })
}
