import type { Limits } from '../../plans.ts'
import type { Account } from '../limiter.ts'
import {
  DAY_MS,
  evaluate,
  INITIAL_STATE,
  MINUTE_MS,
  type State,
  toVerdict,
  type Verdict,
  type Window,
} from '../window.ts'

/** Prefix of the ids of windows that a process opened offline. */
export const OFFLINE_PREFIX = 'alone-'

/** The state of a caller's window, as far as this process knows it. */
export interface Lease {
  /** Empty without a window. Otherwise an id from the store, or an id that begins with OFFLINE_PREFIX. */
  windowId: string
  /** When the window began, by the store's clock. */
  startedAt: number
  /** The number of requests that all processes together had used when the store last answered. */
  used: number
  /** Requests that this process has served. */
  served: number
  /** How many of the served requests the store has charged. */
  charged: number
  /** The maximum of `served` while the store is unreachable. */
  cap: number
}

/** The store's decision about one request. The verdict is absent when the store cannot decide. */
export interface StoreVerdict {
  outcome: string
  verdict?: Verdict
}

/** Requests of a caller that one script decides about, in order. */
export interface Batch {
  caller: Account
  /** Processes whose leases no longer count, as the store lists them. */
  freedProcesses: string
  count: number
  verdicts: Promise<StoreVerdict[]>
}

/** The knowledge of one process about a caller. */
export interface LocalState {
  readonly name: string
  minute: Lease
  day: Lease
  bannedUntil: number
  banSeconds: number
  /** The store's clock in its latest answer; the local clock when the request was sent and answered. */
  storeNow: number
  sentAt: number
  answeredAt: number
  /** The number of releases. The answer to a batch that was sent before a release grants no lease. */
  releases: number
  /** True if the number of requests that the store has charged may differ from the number that was served. */
  inDoubt: boolean
  /** Requests in progress, batches that may charge them, and the batch that has not been sent yet. */
  requests: number
  readonly batches: Set<Promise<unknown>>
  batch: Batch | undefined
  /** The report and the recall in progress. All requests of the caller share them. */
  reconciling: Promise<void> | undefined
  recalling: Promise<unknown> | undefined
  /** Before this time no recall is tried, because a recall has just failed. */
  noRecallUntil: number
}

/** The store's state of a caller. */
export interface CallerAnswer {
  storeNow: number
  bannedUntil: number
  banSeconds: number
  minute: Lease
  day: Lease
}

const NO_LEASE: Lease = { windowId: '', startedAt: 0, used: 0, served: 0, charged: 0, cap: 0 }

export function newLocalState(name: string): LocalState {
  return {
    name,
    minute: NO_LEASE,
    day: NO_LEASE,
    bannedUntil: 0,
    banSeconds: 0,
    storeNow: 0,
    sentAt: 0,
    answeredAt: 0,
    releases: 0,
    inDoubt: false,
    requests: 0,
    batches: new Set(),
    batch: undefined,
    reconciling: undefined,
    recalling: undefined,
    noRecallUntil: 0,
  }
}

/** The earliest possible time of the store's clock: the store answered before the answer arrived here. */
export const earliestStoreTime = ({ storeNow, answeredAt }: LocalState, clock: number): number =>
  storeNow + clock - answeredAt
/** The latest possible time of the store's clock: the store answered after the request was sent. */
export const latestStoreTime = ({ storeNow, sentAt }: LocalState, clock: number): number =>
  storeNow + clock - sentAt

/** The parts of a request that are needed to interpret its answer. */
interface LeaseRequest {
  /** The number of releases when the request was sent. */
  releases: number
  /** How many requests of the batch were charged. */
  allowed?: number
  /** The windows that the report contained. */
  reported?: { minute: Lease; day: Lease }
}

/** Updates the local state from an answer of the store. */
export function applyAnswer(
  local: LocalState,
  answer: CallerAnswer,
  { releases, allowed = 0, reported }: LeaseRequest,
): void {
  const { storeNow, bannedUntil, banSeconds } = answer
  Object.assign(local, { storeNow, bannedUntil, banSeconds })
  for (const window of ['minute', 'day'] as const) {
    const [lease, incoming] = [local[window], answer[window]]
    if (reported && lease.windowId !== reported[window].windowId) {
      // The window was opened offline after the report was sent, so the answer does not apply to it.
      local.inDoubt = true
      continue
    }
    const isSameWindow = lease.windowId === incoming.windowId
    const servedSince = reported ? lease.served - reported[window].served : 0
    const served = isSameWindow
      ? lease.served + allowed
      : incoming.windowId === ''
        ? 0
        : incoming.charged + servedSince
    const cap = releases === local.releases ? incoming.cap : isSameWindow ? lease.cap : served
    local[window] = { ...incoming, served, cap }
    if (reported && served !== incoming.charged) local.inDoubt = true
  }
}

/** Refuses a request without asking Redis, if a ban is running or an address has used up its limit. */
export function certainRefusal(
  local: LocalState,
  { limits, ban }: Account,
  clock: number,
): Verdict | undefined {
  if (local.answeredAt === 0) return undefined
  const { verdict } = evaluate(stateOf(local), limits, undefined, latestStoreTime(local, clock))
  const isCertain = ban ? verdict.outcome === 'banned' : verdict.outcome === 'limited'
  return isCertain ? verdict : undefined
}

/**
 * The verdict on a request that the store has decided about, with the figures of window.ts.
 * @param later how many requests of the batch were charged after this one
 */
export function verdictOf(local: LocalState, outcome: string, limits: Limits, later = 0): Verdict {
  const { minute, day, storeNow } = local
  if (outcome === 'banned') return evaluate(stateOf(local), limits, undefined, storeNow).verdict
  // A ban that a later request started does not apply to this one.
  const state = { ...stateOf(local), bannedUntil: 0 }
  if (outcome === 'limited') return evaluate(state, limits, undefined, storeNow).verdict
  if (outcome === 'allowed') {
    // Keeps the verdict: a request that was charged but not served may have opened the window.
    const after = { ...state, minute: withoutLast(minute, later), day: withoutLast(day, later) }
    return toVerdict('allowed', after, limits, storeNow)
  }
  // The rest is reserved for offline processes, so this process has nothing available.
  const full = { startedAt: minute.windowId ? minute.startedAt : storeNow, used: limits.perMinute }
  return evaluate({ ...state, minute: full }, limits, undefined, storeNow).verdict
}

/** Checks whether the state of a caller can be forgotten. */
export function isExpired(local: LocalState, clock: number, memorySeconds: number): boolean {
  if (local.requests > 0 || local.reconciling) return false
  if (local.answeredAt === 0) return !local.inDoubt
  const banEnd = local.bannedUntil === 0 ? 0 : local.bannedUntil + memorySeconds * 1_000
  const ends = [local.minute.startedAt + MINUTE_MS, local.day.startedAt + DAY_MS, banEnd]
  return earliestStoreTime(local, clock) >= Math.max(...ends)
}

export function stateOf({ minute, day, bannedUntil, banSeconds }: LocalState): State {
  return { ...INITIAL_STATE, minute: windowOf(minute), day: windowOf(day), bannedUntil, banSeconds }
}

function windowOf({ startedAt, used }: Lease): Window {
  return { startedAt, used }
}

function withoutLast({ startedAt, used }: Lease, by: number): Window {
  return { startedAt, used: used - by }
}

// The messages between processes and scripts.

/** A report of a lease: window id, start, requests served here, minimum total of all processes, cap. */
export function reportOf({ windowId, startedAt, used, served, charged, cap }: Lease): (string | number)[] {
  return [windowId, startedAt, served, Math.max(served, used - charged + served), cap]
}

/** Parses the answer of a script. */
export function readAnswer([, storeNow, bannedUntil, banSeconds, ...windows]: unknown[]): CallerAnswer {
  return {
    storeNow: Number(storeNow),
    bannedUntil: Number(bannedUntil),
    banSeconds: Number(banSeconds),
    minute: leaseOf(windows.slice(0, 5)),
    day: leaseOf(windows.slice(5)),
  }
}

function leaseOf([windowId, ...figures]: unknown[]): Lease {
  const [startedAt = 0, used = 0, charged = 0, cap = 0] = figures.map(Number)
  return { windowId: String(windowId), startedAt, used, served: 0, charged, cap }
}
