import type { Limits } from '../../plans.ts'
import type { Account, LimiterVerdict } from '../limiter.ts'
import { DAY_MS, evaluate, INITIAL_STATE, MINUTE_MS, type Window } from '../window.ts'
import {
  earliestStoreTime,
  type Lease,
  type LocalState,
  latestStoreTime,
  OFFLINE_PREFIX,
  stateOf,
} from './lease.ts'

/** The rules for a process that is offline. */
export interface OfflineTerms {
  /** Why the process is offline. */
  cause: unknown
  /** From this time on, all other processes know that this one is away, and keep a reserve for it. */
  missedFrom: number
  /** From this time on, the others may use the requests that are leased to this process. */
  fencedFrom: number
  /** The part of the limit that the process may use in a minute that it opens itself, for example 1/8. */
  part: number
}

/**
 * Serves one request from this process's leases. The store does not give leased requests to other processes,
 * so all processes together never exceed the limit. After a minute ends, the process may open a minute
 * itself, with its part of the limit. Before that, it waits for the end of every minute that another process
 * may have opened before noticing that this process was away.
 */
export function serveOffline(
  local: LocalState,
  { limits }: Account,
  clock: number,
  terms: OfflineTerms,
): LimiterVerdict {
  const now = latestStoreTime(local, clock)
  const verdict = evaluate(stateOf(local), limits, undefined, now).verdict
  if (verdict.outcome !== 'allowed') return verdict
  if (clock < terms.fencedFrom && isLive(local.day, DAY_MS, now)) {
    if (!isLive(local.minute, MINUTE_MS, now)) openMinute(local, limits, clock, terms)
    const { minute, day } = local
    if (isLive(minute, MINUTE_MS, now) && minute.served < minute.cap && day.served < day.cap) {
      local.minute = { ...minute, served: minute.served + 1 }
      local.day = { ...day, served: day.served + 1 }
      local.inDoubt = true
      return evaluate(
        {
          ...INITIAL_STATE,
          minute: remainingWindow(minute, limits.perMinute),
          day: remainingWindow(day, limits.perDay),
        },
        limits,
        undefined,
        now,
      ).verdict
    }
  }
  return unserved(local, limits, now, terms.cause)
}

/** Refuses a request, because the process cannot know whether the limit allows it. */
export function unserved(local: LocalState, limits: Limits, now: number, cause: unknown): LimiterVerdict {
  const startedAt = isLive(local.minute, MINUTE_MS, now) ? local.minute.startedAt : now
  const minute = { startedAt, used: limits.perMinute }
  return { ...evaluate({ ...INITIAL_STATE, minute }, limits, undefined, now).verdict, storeError: cause }
}

function openMinute(local: LocalState, limits: Limits, clock: number, terms: OfflineTerms): void {
  const { minute } = local
  const previousEnd = minute.startedAt + MINUTE_MS
  const endsByClock = minute.windowId === '' ? 0 : clock + previousEnd - earliestStoreTime(local, clock)
  const earliestStart = endsByClock >= terms.missedFrom ? endsByClock : terms.missedFrom + MINUTE_MS
  if (clock < earliestStart) return
  const startedAt = latestStoreTime(local, clock)
  // The previous minute of this process may overlap with a minute of another process. The requests of the
  // previous minute therefore count in the new one too.
  const carried =
    wasOpenedOffline(minute) && startedAt - previousEnd < MINUTE_MS ? minute.served - minute.charged : 0
  const cap = carried + Math.floor(limits.perMinute * terms.part)
  local.minute = {
    windowId: OFFLINE_PREFIX + startedAt,
    startedAt,
    used: 0,
    served: carried,
    charged: carried,
    cap,
  }
}

/**
 * Prepares the state of a caller for a process that starts again under a new id. Keeps the requests that the
 * store has not charged, so a later report includes them.
 */
export function startOver(local: LocalState): void {
  for (const window of ['minute', 'day'] as const) {
    const lease = local[window]
    const served = wasOpenedOffline(lease) ? lease.served : Math.max(0, lease.served - lease.charged)
    local[window] = { ...lease, served, charged: 0, cap: served }
    if (served > 0) local.inDoubt = true
  }
  local.releases += 1
}

function isLive({ windowId, startedAt }: Lease, lengthMs: number, now: number): boolean {
  return windowId !== '' && now < startedAt + lengthMs
}

function wasOpenedOffline({ windowId }: Lease): boolean {
  return windowId.startsWith(OFFLINE_PREFIX)
}

/** Converts a lease to a window: the caller sees the rest of the lease as the rest of the limit. */
function remainingWindow({ startedAt, cap, served }: Lease, limit: number): Window {
  return { startedAt, used: Math.max(0, limit - (cap - served)) }
}
