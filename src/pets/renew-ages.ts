import { changes } from '../db/change.ts'
import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { type Job, runInSteps } from '../jobs/job.ts'
import { PET_COLUMNS, type Row, toPet } from './row.ts'
import { categoryNames, withAge } from './rules.ts'
import { update } from './store.ts'

/** The number of animals updated in one transaction. */
const BATCH_SIZE = 200

/** Updates age groups that are derived from birth dates. */
export const ages: Job = {
  isDue: ({ db, clock }) => hasDue(db, clock()),
  run: ({ write, clock }, mayContinue) => runInSteps(() => write(changes.renewAges, clock()), mayContinue),
}

function due(db: Db, now: number) {
  return db.selectFrom('pet').where('age_due_at', '<=', now)
}

async function hasDue(db: Db, now: number): Promise<boolean> {
  return (await due(db, now).select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Updates the age groups of a batch of animals. The history gets no entries, because no person changed the
 * animals.
 * @returns whether more animals may be due
 */
export async function renewAges(db: Db, now: number): Promise<boolean> {
  const next = due(db, now).select(PET_COLUMNS).orderBy('age_due_at').limit(BATCH_SIZE)
  // Skips animals that are being changed, because that change also sets the age.
  const rows = await dialectOf(db).lockRows(next, 'skip').execute()
  const nameOf = categoryNames(db)
  for (const row of rows) {
    const pet = toPet(row as unknown as Row)
    await update(db, pet, await withAge(nameOf, pet, now), now)
  }
  return rows.length === BATCH_SIZE
}
