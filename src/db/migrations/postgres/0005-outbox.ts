import type { Kysely } from 'kysely'
import { addOutbox } from '../outbox.ts'
import { POSTGRES, run } from '../tables.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addOutbox(db, POSTGRES)
  // Keeps private links out of the planner's statistics, which contain values.
  await run(db, ['alter table outbox alter column link set statistics 0'])
}
