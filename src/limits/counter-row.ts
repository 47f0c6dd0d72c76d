import type { BanRule } from '../config.ts'
import type { Limits } from '../plans.ts'
import type { Counter } from './store.ts'
import { DAY_MS, MINUTE_MS, type State, type Window } from './window.ts'

/** A twentieth of the limit, 1,000 at most: what a crash may cost a caller. */
function leaseOf(limit: number): number {
  return Math.min(Math.ceil(limit / 20), 1_000)
}

/** What is charged, and as much more as is written at once. */
export function ahead(state: State, limits: Limits): State {
  return {
    ...state,
    minute: reserve(state.minute, limits.perMinute),
    day: reserve(state.day, limits.perDay),
  }
}

function reserve({ startedAt, used }: Window, limit: number): Window {
  return { startedAt, used: Math.max(used, Math.min(limit, used + leaseOf(limit))) }
}

/** Whether the store knows of all that was charged. */
export function covers(saved: Counter, { minute, day, bannedUntil }: State): boolean {
  return (
    coversWindow(saved.minute_started_at, saved.minute_used, minute, MINUTE_MS) &&
    coversWindow(saved.day_started_at, saved.day_used, day, DAY_MS) &&
    saved.banned_until >= bannedUntil
  )
}

/**
 * Also when the store already knows the window after: what was charged to this one then no longer counts. Its
 * start may be a little earlier by now: one that was moved beyond the clock is pulled back to it.
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

/** From when on it says nothing any more. */
export function expiryOf({ minute, day, bannedUntil }: State, ban: BanRule): number {
  const banEnd = bannedUntil === 0 ? 0 : bannedUntil + ban.memorySeconds * 1_000
  return Math.max(minute.startedAt + MINUTE_MS, day.startedAt + DAY_MS, banEnd)
}
