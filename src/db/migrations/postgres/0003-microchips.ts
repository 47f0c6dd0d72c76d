import type { Kysely } from 'kysely'
import { indexMicrochips } from '../microchips.ts'
import { run } from '../tables.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The collation limits `lower` to ASCII, as on SQLite.
  await indexMicrochips(db, `(staff_part::json->'staff'->>'microchip') collate "C"`)
  // Keeps chips out of the planner's statistics, which contain values.
  await run(db, ['alter index pet_by_microchip alter column 1 set statistics 0'])
}
