import type { Limits } from '../../plans.ts'
import type { Account } from '../limiter.ts'
import {
  DAY_MS,
  judge,
  MINUTE_MS,
  type State,
  toVerdict,
  UNKNOWN,
  type Verdict,
  type Window,
} from '../window.ts'

/** Begins the names of windows that a process opened offline. */
export const OWN = 'alone-'

/** What one process knows of one window of a caller. */
export interface Lease {
  /** '' when there is none; the store's name of it, or one of our own when we opened it offline. */
  windowId: string
  /** By the clock of the store. */
  startedAt: number
  /** By all processes, when last heard. */
  used: number
  /** Answered as allowed by this process; what of it the store has charged; the most it may serve offline. */
  served: number
  charged: number
  cap: number
}

/** What the store said of one request; without a verdict where it knows too little for one. */
export interface Judged {
  outcome: string
  verdict?: Verdict
}

/** Requests of a caller that one script judges together, in their order. */
export interface Batch {
  caller: Account
  /** Processes whose leases hold no more, as the store lists them. */
  freed: string
  count: number
  judged: Promise<Judged[]>
}

/** What one process knows of one caller. */
export interface LocalState {
  readonly name: string
  minute: Lease
  day: Lease
  bannedUntil: number
  banSeconds: number
  /** The clock of the store when it answered last; ours when that was asked and when it was heard. */
  storeNow: number
  askedAt: number
  answeredAt: number
  /** Counts the releases: an answer to a batch that was sent before one leases nothing any more. */
  turn: number
  /** Whether the store may have charged something else than was served. */
  inDoubt: boolean
  /** Requests under way, the batches that may charge them, and the one of these that is yet to be sent. */
  asking: number
  readonly taking: Set<Promise<unknown>>
  batch: Batch | undefined
  /** Under way, and shared by all requests of the caller. */
  reconciling: Promise<void> | undefined
  recalling: Promise<unknown> | undefined
  /** A recall failed just now: until then none begins. */
  noRecallUntil: number
}

/** What the store says of one caller. */
export interface CallerAnswer {
  storeNow: number
  bannedUntil: number
  banSeconds: number
  minute: Lease
  day: Lease
}

const NO_LEASE: Lease = { windowId: '', startedAt: 0, used: 0, served: 0, charged: 0, cap: 0 }

export function unknown(name: string): LocalState {
  return {
    name,
    minute: NO_LEASE,
    day: NO_LEASE,
    bannedUntil: 0,
    banSeconds: 0,
    storeNow: 0,
    askedAt: 0,
    answeredAt: 0,
    turn: 0,
    inDoubt: false,
    asking: 0,
    taking: new Set(),
    batch: undefined,
    reconciling: undefined,
    recalling: undefined,
    noRecallUntil: 0,
  }
}

/** The clock of the store is not before this: it answered after it was asked, and before it was heard. */
export const earliest = ({ storeNow, answeredAt }: LocalState, clock: number): number =>
  storeNow + clock - answeredAt
/** … and not after this. */
export const latest = ({ storeNow, askedAt }: LocalState, clock: number): number => storeNow + clock - askedAt

/** What the store was asked, which it then answered. */
interface LeaseRequest {
  /** The one in which it was asked. */
  turn: number
  /** How many requests it charged. */
  allowed?: number
  /** What it was told to have been served. */
  before?: { minute: Lease; day: Lease }
}

/** Takes over an answer of the store. */
export function applyAnswer(
  local: LocalState,
  heard: CallerAnswer,
  { turn, allowed = 0, before }: LeaseRequest,
): void {
  const { storeNow, bannedUntil, banSeconds } = heard
  Object.assign(local, { storeNow, bannedUntil, banSeconds })
  for (const window of ['minute', 'day'] as const) {
    const [lease, news] = [local[window], heard[window]]
    if (before && lease.windowId !== before[window].windowId) {
      // Opened offline while the report was under way, which did not tell of it.
      local.inDoubt = true
      continue
    }
    const same = lease.windowId === news.windowId
    const since = before ? lease.served - before[window].served : 0
    const served = same ? lease.served + allowed : news.windowId === '' ? 0 : news.charged + since
    const cap = turn === local.turn ? news.cap : same ? lease.cap : served
    local[window] = { ...news, served, cap }
    if (before && served !== news.charged) local.inDoubt = true
  }
}

/** A refusal that Redis cannot change: a ban, or the end of what an address may use. */
export function certainRefusal(
  local: LocalState,
  { limits, ban }: Account,
  clock: number,
): Verdict | undefined {
  if (local.answeredAt === 0) return undefined
  const { verdict } = judge(stateOf(local), limits, undefined, latest(local, clock))
  const certain = ban ? verdict.outcome === 'banned' : verdict.outcome === 'limited'
  return certain ? verdict : undefined
}

/**
 * The verdict on a request that the store has judged; the figures come from the one rule.
 *
 * @param later how many requests the store charged after this one
 */
export function verdictOf(local: LocalState, outcome: string, limits: Limits, later = 0): Verdict {
  const { minute, day, storeNow } = local
  if (outcome === 'banned') return judge(stateOf(local), limits, undefined, storeNow).verdict
  // A ban that began with a later one is not its own.
  const state = { ...stateOf(local), bannedUntil: 0 }
  if (outcome === 'limited') return judge(state, limits, undefined, storeNow).verdict
  if (outcome === 'allowed') {
    // Not judged once more: its window may have begun with one that was charged, and then not served.
    const after = { ...state, minute: less(minute, later), day: less(day, later) }
    return toVerdict('allowed', after, limits, storeNow)
  }
  // What is left is kept for processes that are away: here and now there is none.
  const full = { startedAt: minute.windowId ? minute.startedAt : storeNow, used: limits.perMinute }
  return judge({ ...state, minute: full }, limits, undefined, storeNow).verdict
}

/** Whether nothing that is known of the caller matters any more. */
export function isOver(local: LocalState, clock: number, memorySeconds: number): boolean {
  if (local.asking > 0 || local.reconciling) return false
  if (local.answeredAt === 0) return !local.inDoubt
  const banEnd = local.bannedUntil === 0 ? 0 : local.bannedUntil + memorySeconds * 1_000
  const ends = [local.minute.startedAt + MINUTE_MS, local.day.startedAt + DAY_MS, banEnd]
  return earliest(local, clock) >= Math.max(...ends)
}

export function stateOf({ minute, day, bannedUntil, banSeconds }: LocalState): State {
  return { ...UNKNOWN, minute: windowOf(minute), day: windowOf(day), bannedUntil, banSeconds }
}

function windowOf({ startedAt, used }: Lease): Window {
  return { startedAt, used }
}

function less({ startedAt, used }: Lease, by: number): Window {
  return { startedAt, used: used - by }
}
