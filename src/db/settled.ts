import { sql } from 'kysely'
import { NodeSqliteAdapter } from './sqlite.ts'
import type { Db } from './tables.ts'

/**
 * For a walk from the lowest id of an animal to the highest that is to meet each of them.
 *
 * @param read is told below which id no animal is still to come: PostgreSQL gives ids before it commits. The
 *   embedded store makes one change after the other, and has no such id.
 */
export async function readSettled<Result>(
  db: Db,
  read: (db: Db, before?: number) => Promise<Result>,
): Promise<Result> {
  if (db.getExecutor().adapter instanceof NodeSqliteAdapter) return read(db)
  return db.connection().execute(async (one) => {
    const { rows } = await sql<{ id: number }>`select settled_pets() as id`.execute(one)
    return read(one, rows[0]?.id)
  })
}
