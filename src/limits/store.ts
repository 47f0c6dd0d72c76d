import type { Insertable, Selectable } from 'kysely'
import type { BanRule } from '../config.ts'
import { requireClaim } from '../db/claim.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Limits } from '../plans.ts'
import { DAY_MS, MINUTE_MS, type State, type Window } from './window.ts'

export type Counter = Selectable<Tables['counter']>

/** Lists the counters that have not expired. @param now Unix time in milliseconds */
export function list(db: Db, now: number): Promise<Counter[]> {
  return db
    .selectFrom('counter')
    .select(['caller', 'minute_started_at', 'minute_used', 'day_started_at', 'day_used'])
    .select(['banned_until', 'ban_seconds', 'expires_at'])
    .where('expires_at', '>', now)
    .execute()
}

/** @param claim token under which requests were counted; absent when no other process can claim the store */
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

/** How many requests are recorded ahead: 5 % of the limit, at most 1,000. A crash may cost this many. */
function leaseSize(limit: number): number {
  return Math.min(Math.ceil(limit / 20), 1_000)
}

/** Returns the state to record: the charged requests plus a lease. */
export function withLease(state: State, limits: Limits): State {
  return {
    ...state,
    minute: reserve(state.minute, limits.perMinute),
    day: reserve(state.day, limits.perDay),
  }
}

function reserve({ startedAt, used }: Window, limit: number): Window {
  return { startedAt, used: Math.max(used, Math.min(limit, used + leaseSize(limit))) }
}

/** Checks whether the store has recorded everything that was charged. */
export function covers(saved: Counter, { minute, day, bannedUntil }: State): boolean {
  return (
    coversWindow(saved.minute_started_at, saved.minute_used, minute, MINUTE_MS) &&
    coversWindow(saved.day_started_at, saved.day_used, day, DAY_MS) &&
    saved.banned_until >= bannedUntil
  )
}

/**
 * Compares one window with its record. Also returns true when the store has a later window, because charges
 * to this window no longer count. The recorded start may be slightly later than the window's start, because
 * the rule moves a future start back to now.
 */
function coversWindow(startedAt: number, used: number, window: Window, lengthMs: number): boolean {
  if (window.used === 0 || startedAt >= window.startedAt + lengthMs) return true
  return startedAt > window.startedAt - lengthMs && used >= window.used
}

export function stateOf(row: Counter): State {
  return {
    minute: { startedAt: row.minute_started_at, used: row.minute_used },
    day: { startedAt: row.day_started_at, used: row.day_used },
    refusedAt: [],
    bannedUntil: row.banned_until,
    banSeconds: row.ban_seconds,
  }
}

export function rowOf(caller: string, state: State, ban: BanRule): Counter {
  return {
    caller,
    minute_started_at: state.minute.startedAt,
    minute_used: state.minute.used,
    day_started_at: state.day.startedAt,
    day_used: state.day.used,
    banned_until: state.bannedUntil,
    ban_seconds: state.banSeconds,
    expires_at: expiryOf(state, ban),
  }
}

/** Returns the Unix time in milliseconds from which the counter is no longer needed. */
export function expiryOf({ minute, day, bannedUntil }: State, ban: BanRule): number {
  const banEnd = bannedUntil === 0 ? 0 : bannedUntil + ban.memorySeconds * 1_000
  return Math.max(minute.startedAt + MINUTE_MS, day.startedAt + DAY_MS, banEnd)
}
