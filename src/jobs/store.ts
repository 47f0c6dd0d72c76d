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
 * Takes the lease of a job for one holder, unless something has happened to it since it was looked at.
 *
 * @param seen its beat when it was looked at; absent when nobody has done it yet
 */
export async function takeJob(db: Db, name: string, holder: string, seen?: number): Promise<boolean> {
  if (seen === undefined) {
    const made = await db
      .insertInto('job')
      .values({ name, holder, beat: 1, due_at: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return made.numInsertedOrUpdatedRows === 1n
  }
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({ holder, beat: seen + 1 })
    .where('name', '=', name)
    .where('beat', '=', seen)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** @returns whether the lease still is the holder's; then it lasts anew */
export async function renewJob(db: Db, name: string, holder: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set(({ eb }) => ({ beat: eb('beat', '+', 1) }))
    .where('name', '=', name)
    .where('holder', '=', holder)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export interface Ending {
  /** Of tries in a row; 0 after one that went well. */
  failures: number
  /** Before then nobody takes it: Unix time in milliseconds, as the next. */
  due_at: number
  /** When it went well; absent when it did not. */
  ended_at?: number
}

/** Gives the lease back; who has lost it changes nothing. */
export async function endJob(db: Db, name: string, holder: string, ending: Ending): Promise<void> {
  await db
    .updateTable('job')
    .set(({ eb }) => ({ ...ending, holder: null, beat: eb('beat', '+', 1) }))
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute()
}
