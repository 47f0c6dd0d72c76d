import type { Limits } from '../plans.ts'
import type { Caller, Ruling } from './limiter.ts'
import { earliest, type Known, latest, OWN, type Share, stateOf } from './redis-share.ts'
import { DAY_MS, judge, MINUTE_MS, UNKNOWN, type Window } from './window.ts'

/** What a process that is without the store may do. */
export interface Alone {
  /** Why it is alone. */
  cause: unknown
  /** When at the latest the others know that it is away; from then on they leave it a reserve. */
  missedFrom: number
  /** When they give away what is promised to it. */
  fencedFrom: number
  /** Part of a minute's limit in a window of its own, such as 1/8. */
  part: number
}

/**
 * Serves one request from what is promised to this process. The store has taken the promise off what it
 * gives to others, so that all together never serve more than the limit. A minute that begins meanwhile has
 * its part only when every window that another process may have opened before it missed this one has ended.
 */
export function serveAlone(known: Known, { limits }: Caller, clock: number, alone: Alone): Ruling {
  const now = latest(known, clock)
  const refused = judge(stateOf(known), limits, undefined, now).verdict
  if (refused.outcome !== 'allowed') return refused
  if (clock < alone.fencedFrom && liveShare(known.day, DAY_MS, now)) {
    if (!liveShare(known.minute, MINUTE_MS, now)) openMinute(known, limits, clock, alone)
    const { minute, day } = known
    if (liveShare(minute, MINUTE_MS, now) && minute.served < minute.cap && day.served < day.cap) {
      known.minute = { ...minute, served: minute.served + 1 }
      known.day = { ...day, served: day.served + 1 }
      known.unsettled = true
      return judge(
        { ...UNKNOWN, minute: rest(minute, limits.perMinute), day: rest(day, limits.perDay) },
        limits,
        undefined,
        now,
      ).verdict
    }
  }
  return unserved(known, limits, now, alone.cause)
}

/** For a request about which nothing certain can be said. */
export function unserved(known: Known, limits: Limits, now: number, cause: unknown): Ruling {
  const startedAt = liveShare(known.minute, MINUTE_MS, now) ? known.minute.startedAt : now
  const minute = { startedAt, used: limits.perMinute }
  return { ...judge({ ...UNKNOWN, minute }, limits, undefined, now).verdict, lost: cause }
}

function openMinute(known: Known, limits: Limits, clock: number, alone: Alone): void {
  const { minute } = known
  const ended = minute.startedAt + MINUTE_MS
  const endedAt = minute.label === '' ? 0 : clock + ended - earliest(known, clock)
  const from = endedAt >= alone.missedFrom ? endedAt : alone.missedFrom + MINUTE_MS
  if (clock < from) return
  const startedAt = latest(known, clock)
  // The window before it, if we opened that too, may reach into a window of the others: both count in it.
  const carried = isOwn(minute) && startedAt - ended < MINUTE_MS ? minute.served - minute.charged : 0
  const cap = carried + Math.floor(limits.perMinute * alone.part)
  known.minute = { label: OWN + startedAt, startedAt, used: 0, served: carried, charged: carried, cap }
}

/** Calls what it served its own again under a new name, as the store no longer knows the old one. */
export function startOver(known: Known): void {
  for (const window of ['minute', 'day'] as const) {
    const share = known[window]
    const served = isOwn(share) ? share.served : Math.max(0, share.served - share.charged)
    known[window] = { ...share, served, charged: 0, cap: served }
    if (served > 0) known.unsettled = true
  }
  known.turn += 1
}

function liveShare({ label, startedAt }: Share, lengthMs: number, now: number): boolean {
  return label !== '' && now < startedAt + lengthMs
}

function isOwn({ label }: Share): boolean {
  return label.startsWith(OWN)
}

/** What is promised looks to the caller like all that is left. */
function rest({ startedAt, cap, served }: Share, limit: number): Window {
  return { startedAt, used: Math.max(0, limit - (cap - served)) }
}
