import type { Insertable, Selectable } from 'kysely'
import { requireClaim } from '../db/claim.ts'
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

const DAY_MS = 86_400_000

/** What callers may at most have used of the present day, by their names. */
export async function usedToday(db: Db, callers: string[], now: number): Promise<Map<string, number>> {
  if (callers.length === 0) return new Map()
  const rows = await db
    .selectFrom('counter')
    .select(['caller', 'day_used'])
    .where('caller', 'in', callers)
    .where('day_started_at', '>', now - DAY_MS)
    .execute()
  return new Map(rows.map(({ caller, day_used }) => [caller, day_used]))
}

/** @param claim the token under which they were counted; absent where nobody else can claim the store */
export async function saveCounters(
  db: Db,
  counters: Insertable<Tables['counter']>[],
  claim?: string,
): Promise<void> {
  if (claim !== undefined) await requireClaim(db, claim)
  for (const { caller, ...figures } of counters) {
    await db
      .insertInto('counter')
      .values({ caller, ...figures })
      .onConflict((conflict) => conflict.column('caller').doUpdateSet(figures))
      .execute()
  }
}

/** @param claim as for `saveCounters` */
export async function removeExpiredCounters(db: Db, now: number, claim?: string): Promise<void> {
  if (claim !== undefined) await requireClaim(db, claim)
  await db.deleteFrom('counter').where('expires_at', '<=', now).execute()
}
