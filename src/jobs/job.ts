import type { Selectable } from 'kysely'
import type { Context } from '../context.ts'
import type { Db, Tables } from '../db/tables.ts'

export interface Job {
  /** Returns whether there is work to do. It must only read, because every process calls it often. */
  isDue(context: Context): Promise<boolean>
  /**
   * Does the work in steps, each in its own transaction. Steps must be idempotent, because a suspended
   * process may continue after another process has taken over the job.
   * @param mayContinue must be called before each step; false once the lease is lost or the service stops
   */
  run(context: Context, mayContinue: () => Promise<boolean>): Promise<void>
}

/** Jobs by the names under which the database stores them. */
export type Jobs = Record<string, Job>

/** Repeats a step while it returns true and the job may continue. */
export async function runInSteps(
  step: () => Promise<boolean>,
  mayContinue: () => Promise<boolean>,
): Promise<void> {
  while ((await mayContinue()) && (await step()));
}

/**
 * Calls a function at intervals, but never while an earlier call is still running. If a call fails, for
 * example because the store cannot be reached, the next call tries again.
 * @returns a function that stops, and waits for the call that is running
 */
export function startPolling(poll: () => Promise<void>, everyMs: number): () => Promise<void> {
  let polling: Promise<void> | undefined
  const timer = setInterval(() => {
    polling ??= poll()
      .catch(() => undefined)
      .finally(() => {
        polling = undefined
      })
  }, everyMs)
  return async () => {
    clearInterval(timer)
    await polling
  }
}

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
