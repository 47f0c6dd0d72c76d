import type { Insertable, Selectable } from 'kysely'
import type { Db, Tables } from '../db/tables.ts'

export type Counter = Selectable<Tables['counter']>

/** Every counter that still says something at `now`, a Unix time in milliseconds. */
export function list(db: Db, now: number): Promise<Counter[]> {
  return db
    .selectFrom('counter')
    .select(['caller', 'minute_started_at', 'minute_used', 'day_started_at', 'day_used'])
    .select(['banned_until', 'ban_seconds', 'expires_at'])
    .where('expires_at', '>', now)
    .execute()
}

export async function saveCounters(db: Db, counters: Insertable<Tables['counter']>[]): Promise<void> {
  for (const { caller, ...figures } of counters) {
    await db
      .insertInto('counter')
      .values({ caller, ...figures })
      .onConflict((conflict) => conflict.column('caller').doUpdateSet(figures))
      .execute()
  }
}

export async function removeExpiredCounters(db: Db, now: number): Promise<void> {
  await db.deleteFrom('counter').where('expires_at', '<=', now).execute()
}
