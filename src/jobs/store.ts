import type { Selectable } from 'kysely'
import type { Db, Tables } from '../db/tables.ts'

export type JobRow = Selectable<Tables['job']>

export async function listJobs(db: Db): Promise<Map<string, JobRow>> {
  const rows = await db
    .selectFrom('job')
    .select(['name', 'holder', 'beat', 'due_at', 'failures', 'ended_at'])
    .execute()
  return new Map(rows.map((row) => [row.name, row]))
}

/**
 * Takes the lease of a job, unless the row of the job has changed since it was read.
 *
 * @param beat the beat that was read; undefined if the job has no row yet
 * @returns whether the holder now has the lease
 */
export async function takeJob(db: Db, name: string, holder: string, beat?: number): Promise<boolean> {
  if (beat === undefined) {
    const inserted = await db
      .insertInto('job')
      .values({ name, holder, beat: 1, due_at: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return inserted.numInsertedOrUpdatedRows === 1n
  }
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({ holder, beat: beat + 1 })
    .where('name', '=', name)
    .where('beat', '=', beat)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Extends the lease. @returns false if the holder no longer has the lease */
export async function renewJob(db: Db, name: string, holder: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set(({ eb }) => ({ beat: eb('beat', '+', 1) }))
    .where('name', '=', name)
    .where('holder', '=', holder)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export interface JobOutcome {
  /** The number of consecutive failures; 0 after a success. */
  failures: number
  /** The earliest time of the next run, in Unix milliseconds. */
  due_at: number
  /** When the job succeeded, in Unix milliseconds. Absent after a failure. */
  ended_at?: number
}

/** Releases the lease and stores the result of the run. Does nothing if the holder has lost the lease. */
export async function endJob(db: Db, name: string, holder: string, ending: JobOutcome): Promise<void> {
  await db
    .updateTable('job')
    .set(({ eb }) => ({ ...ending, holder: null, beat: eb('beat', '+', 1) }))
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute()
}
