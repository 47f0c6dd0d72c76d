import type { Kysely } from 'kysely'
import { addChangeOwner } from '../change-owner.ts'
import { POSTGRES, run } from '../tables.ts'

/**
 * Columns that stay out of the planner's statistics, which contain values. No query filters by these columns.
 */
const WITHOUT_STATISTICS = {
  application: ['applicant', 'note', 'reply'],
  staff: ['email', 'folded_email', 'name'],
  pet: ['photos', 'profile', 'public_part', 'staff_part'],
  pet_change: ['changes'],
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await addChangeOwner(db, POSTGRES)
  for (const [table, columns] of Object.entries(WITHOUT_STATISTICS)) {
    const changes = columns.map((column) => `alter column ${column} set statistics 0`)
    await run(db, [`alter table ${table} ${changes.join(', ')}`])
  }
}
