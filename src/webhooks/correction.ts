import { sql } from 'kysely'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { type Job, runInSteps } from '../jobs/job.ts'
import { LEASE_MS, MAX_WAIT_MS, PENDING } from './attempts.ts'

// A clock that was ahead has stored times in the future, until which deliveries would wait.

/** The clocks of machines may differ this much. */
const TOLERANCE_MS = 60_000
/** How far in the future each time may be if the clock is correct. */
const MAX_AHEAD_MS = {
  created_at: TOLERANCE_MS,
  due_at: MAX_WAIT_MS + TOLERANCE_MS,
  leased_until: LEASE_MS + TOLERANCE_MS,
}
const COLUMNS = Object.keys(MAX_AHEAD_MS) as (keyof typeof MAX_AHEAD_MS)[]
/** The maximum number of deliveries that one transaction corrects. */
const BATCH_SIZE = 1_000

const selectWrong = (db: Db, column: keyof typeof MAX_AHEAD_MS, now: number) =>
  db
    .selectFrom('delivery')
    .select('id')
    .where(column, '>', now + MAX_AHEAD_MS[column])
    // The conditions let the engines use the partial indexes.
    .$if(column !== 'created_at', (rows) => rows.where('status', '=', PENDING))
    .$if(column === 'leased_until', (rows) => rows.where('leased_until', '>', sql.lit(0)))

const selectWrongWebhooks = (db: Db, now: number) =>
  db
    .selectFrom('webhook')
    .select('id')
    .where(({ eb, or }) =>
      or([eb('paused_until', '>', now + MAX_AHEAD_MS.due_at), eb('failing_since', '>', now + TOLERANCE_MS)]),
    )

async function hasWrongTimes(db: Db, now: number): Promise<boolean> {
  const deliveries = COLUMNS.map((column) => selectWrong(db, column, now).limit(1))
  for (const query of [...deliveries, selectWrongWebhooks(db, now).limit(1)])
    if (await query.executeTakeFirst()) return true
  return false
}

/** Sets times that are too far in the future to the current time. @returns whether there may be more */
export async function correctDeliveries(db: Db, now: number): Promise<boolean> {
  let hasMore = false
  for (const column of COLUMNS) {
    const ids = (await selectWrong(db, column, now).limit(BATCH_SIZE).execute()).map(({ id }) => id)
    if (ids.length === 0) continue
    const times = { [column]: now, ...(column === 'created_at' && { due_at: now }) }
    await db.updateTable('delivery').set(times).where('id', 'in', ids).execute()
    hasMore ||= ids.length === BATCH_SIZE
  }
  const webhooks = (await selectWrongWebhooks(db, now).execute()).map(({ id }) => id)
  if (webhooks.length > 0)
    await db
      .updateTable('webhook')
      .set({
        paused_until: 0,
        failing_since: sql`case when failing_since > ${now} then ${now} else failing_since end`,
      })
      .where('id', 'in', webhooks)
      .execute()
  return hasMore
}

/** Corrects deliveries after the clock of a machine was ahead. */
export const wrongTimes: Job = {
  isDue: ({ db, clock }) => hasWrongTimes(db, clock()),
  run: ({ write, clock }, mayContinue) =>
    runInSteps(() => write(changes.correctDeliveries, clock()), mayContinue),
}
