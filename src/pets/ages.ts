import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { inSteps, type Job } from '../jobs/job.ts'
import { categoryNames, withAge } from './age.ts'
import { STORED_COLUMNS, type StoredRow, toStored, update } from './store.ts'

/** So many animals are one change. */
const STEP = 200

/** Keeps the age groups right that follow from a birth date. */
export const ages: Job = {
  isDue: ({ db, clock }) => hasDue(db, clock()),
  run: ({ write, clock }, mayGoOn) => inSteps(() => write(changes.renewAges, clock()), mayGoOn),
}

function due(db: Db, now: number) {
  return db.selectFrom('pet').where('age_due_at', '<=', now)
}

async function hasDue(db: Db, now: number): Promise<boolean> {
  return (await due(db, now).select('id').limit(1).executeTakeFirst()) !== undefined
}

/** It stands in no history: nobody changed the animal. @returns whether there may be more */
export async function renewAges(db: Db, now: number): Promise<boolean> {
  const rows = await due(db, now).select(STORED_COLUMNS).orderBy('age_due_at').limit(STEP).execute()
  const nameOf = categoryNames(db)
  for (const row of rows) {
    const stored = toStored(row as unknown as StoredRow)
    // Whoever was faster gave it the right age.
    await update(db, stored, await withAge(nameOf, stored.pet, now), now)
  }
  return rows.length === STEP
}
