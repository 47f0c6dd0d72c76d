import { sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Db } from './tables.ts'

/** For so long PostgreSQL may follow the plan that it would choose, where one page is read. */
const FIRST_PLAN_MS = 100

/**
 * Reads in PostgreSQL's own plan first: it is right for common questions. For rare ones it can be far slower than
 * another plan, so it gets little time, and the other one the rest. SQLite reads once.
 *
 * @param read is given whether it is to choose the other plan
 * @param firstPlanMs how long PostgreSQL's own plan may take; 0 for the other plan alone
 */
export async function readInTime<Result>(
  db: Db,
  read: (db: Db, otherPlan: boolean) => Promise<Result>,
  firstPlanMs = FIRST_PLAN_MS,
): Promise<Result> {
  if (dialectOf(db).engine === 'sqlite') return read(db, false)
  if (firstPlanMs > 0) {
    const inTime = await firstOf(db, read, firstPlanMs)
    if (inTime) return inTime.result
  }
  return read(db, true)
}

/** @returns undefined where it took longer */
async function firstOf<Result>(
  db: Db,
  read: (db: Db, otherPlan: boolean) => Promise<Result>,
  ms: number,
): Promise<{ result: Result } | undefined> {
  try {
    return await db.transaction().execute(async (inside) => {
      await sql`select set_config('statement_timeout', ${String(ms)}, true)`.execute(inside)
      return { result: await read(inside, false) }
    })
  } catch (error) {
    if (isTimeout(error)) return undefined
    throw error
  }
}

/** SQLSTATE of a statement that took longer than it may. */
const QUERY_CANCELED = '57014'

/** Whether the database ended a statement that took longer than it may. */
export const isTimeout = (error: unknown): boolean =>
  [error, (error as Error).cause].some(
    (one) => (one as { code?: string } | undefined)?.code === QUERY_CANCELED,
  )
