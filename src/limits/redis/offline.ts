import type { Limits } from '../../plans.ts'
import type { Account, Ruling } from '../limiter.ts'
import { DAY_MS, judge, MINUTE_MS, UNKNOWN, type Window } from '../window.ts'
import { earliest, type Lease, type LocalState, latest, OWN, stateOf } from './lease.ts'

/** What a process that is without the store may do. */
export interface OfflineTerms {
  /** Why it is offline. */
  cause: unknown
  /** When at the latest the others know that it is away; from then on they leave it a reserve. */
  missedFrom: number
  /** When they give away what is leased to it. */
  fencedFrom: number
  /** Part of a minute's limit in a window of its own, such as 1/8. */
  part: number
}

/**
 * Serves one request from what is leased to this process. The store has taken the lease off what it
 * gives to others, so that all together never serve more than the limit. A minute that begins meanwhile has
 * its part only when every window that another process may have opened before it missed this one has ended.
 */
export function serveOffline(
  local: LocalState,
  { limits }: Account,
  clock: number,
  terms: OfflineTerms,
): Ruling {
  const now = latest(local, clock)
  const refused = judge(stateOf(local), limits, undefined, now).verdict
  if (refused.outcome !== 'allowed') return refused
  if (clock < terms.fencedFrom && isLive(local.day, DAY_MS, now)) {
    if (!isLive(local.minute, MINUTE_MS, now)) openMinute(local, limits, clock, terms)
    const { minute, day } = local
    if (isLive(minute, MINUTE_MS, now) && minute.served < minute.cap && day.served < day.cap) {
      local.minute = { ...minute, served: minute.served + 1 }
      local.day = { ...day, served: day.served + 1 }
      local.inDoubt = true
      return judge(
        { ...UNKNOWN, minute: rest(minute, limits.perMinute), day: rest(day, limits.perDay) },
        limits,
        undefined,
        now,
      ).verdict
    }
  }
  return unserved(local, limits, now, terms.cause)
}

/** For a request about which nothing certain can be said. */
export function unserved(local: LocalState, limits: Limits, now: number, cause: unknown): Ruling {
  const startedAt = isLive(local.minute, MINUTE_MS, now) ? local.minute.startedAt : now
  const minute = { startedAt, used: limits.perMinute }
  return { ...judge({ ...UNKNOWN, minute }, limits, undefined, now).verdict, lost: cause }
}

function openMinute(local: LocalState, limits: Limits, clock: number, terms: OfflineTerms): void {
  const { minute } = local
  const ended = minute.startedAt + MINUTE_MS
  const endedAt = minute.windowId === '' ? 0 : clock + ended - earliest(local, clock)
  const from = endedAt >= terms.missedFrom ? endedAt : terms.missedFrom + MINUTE_MS
  if (clock < from) return
  const startedAt = latest(local, clock)
  // The window before it, if we opened that too, may reach into a window of the others: both count in it.
  const carried = isOwn(minute) && startedAt - ended < MINUTE_MS ? minute.served - minute.charged : 0
  const cap = carried + Math.floor(limits.perMinute * terms.part)
  local.minute = { windowId: OWN + startedAt, startedAt, used: 0, served: carried, charged: carried, cap }
}

/** Calls what it served its own again under a new name, as the store no longer knows the old one. */
export function startOver(local: LocalState): void {
  for (const window of ['minute', 'day'] as const) {
    const lease = local[window]
    const served = isOwn(lease) ? lease.served : Math.max(0, lease.served - lease.charged)
    local[window] = { ...lease, served, charged: 0, cap: served }
    if (served > 0) local.inDoubt = true
  }
  local.turn += 1
}

function isLive({ windowId, startedAt }: Lease, lengthMs: number, now: number): boolean {
  return windowId !== '' && now < startedAt + lengthMs
}

function isOwn({ windowId }: Lease): boolean {
  return windowId.startsWith(OWN)
}

/** What is leased looks to the caller like all that is left. */
function rest({ startedAt, cap, served }: Lease, limit: number): Window {
  return { startedAt, used: Math.max(0, limit - (cap - served)) }
}
