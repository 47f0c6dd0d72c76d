import type { Limits } from '../plans.ts'
import type { Caller } from './limiter.ts'
import {
  DAY_MS,
  describe,
  judge,
  MINUTE_MS,
  type State,
  UNKNOWN,
  type Verdict,
  type Window,
} from './window.ts'

/** Begins the names of windows that a process opened alone. */
export const OWN = 'alone-'

/** What one process knows of one window of a caller. */
export interface Share {
  /** '' when there is none; the store's name of it, or one of our own when we opened it alone. */
  label: string
  /** By the clock of the store. */
  startedAt: number
  /** By all processes, when last heard. */
  used: number
  /** Answered as allowed by this process; what of it the store has charged; the most it may serve alone. */
  served: number
  charged: number
  cap: number
}

/** What the store said of one request; without a verdict where it knows too little for one. */
export interface Judged {
  outcome: string
  verdict?: Verdict
}

/** One question about several requests of a caller, in their order. */
export interface Question {
  caller: Caller
  /** Processes whose promises hold no more, as the store lists them. */
  freed: string
  count: number
  judged: Promise<Judged[]>
}

/** What one process knows of one caller. */
export interface Known {
  readonly name: string
  minute: Share
  day: Share
  bannedUntil: number
  banSeconds: number
  /** The clock of the store when it answered last; ours when that was asked and when it was heard. */
  storeNow: number
  askedAt: number
  heardAt: number
  /** Counts the promises given back: an answer to an earlier question promises nothing any more. */
  turn: number
  /** Whether the store may have charged something else than was served. */
  unsettled: boolean
  /** Requests under way, the questions that may charge them, and the one of these that is yet to be asked. */
  asking: number
  readonly taking: Set<Promise<unknown>>
  question: Question | undefined
  /** Questions under way that are shared by all requests of the caller. */
  settling: Promise<void> | undefined
  recalling: Promise<unknown> | undefined
  /** Until then nobody gives anything back: somebody just did not. */
  recalledInVainUntil: number
}

/** What the store says of one caller. */
export interface Heard {
  storeNow: number
  bannedUntil: number
  banSeconds: number
  minute: Share
  day: Share
}

const NO_SHARE: Share = { label: '', startedAt: 0, used: 0, served: 0, charged: 0, cap: 0 }

export function unknown(name: string): Known {
  return {
    name,
    minute: NO_SHARE,
    day: NO_SHARE,
    bannedUntil: 0,
    banSeconds: 0,
    storeNow: 0,
    askedAt: 0,
    heardAt: 0,
    turn: 0,
    unsettled: false,
    asking: 0,
    taking: new Set(),
    question: undefined,
    settling: undefined,
    recalling: undefined,
    recalledInVainUntil: 0,
  }
}

/** The clock of the store is not before this: it answered after it was asked, and before it was heard. */
export const earliest = ({ storeNow, heardAt }: Known, clock: number): number => storeNow + clock - heardAt
/** … and not after this. */
export const latest = ({ storeNow, askedAt }: Known, clock: number): number => storeNow + clock - askedAt

/** How the store came to answer. */
interface Asked {
  /** The one in which it was asked. */
  turn: number
  /** How many requests it charged. */
  allowed?: number
  /** What it was told to have been served. */
  before?: { minute: Share; day: Share }
}

/** Takes over an answer of the store. */
export function hear(known: Known, heard: Heard, { turn, allowed = 0, before }: Asked): void {
  const { storeNow, bannedUntil, banSeconds } = heard
  Object.assign(known, { storeNow, bannedUntil, banSeconds })
  for (const window of ['minute', 'day'] as const) {
    const [share, news] = [known[window], heard[window]]
    if (before && share.label !== before[window].label) {
      // Opened alone while the report was under way, which did not tell of it.
      known.unsettled = true
      continue
    }
    const same = share.label === news.label
    const since = before ? share.served - before[window].served : 0
    const served = same ? share.served + allowed : news.label === '' ? 0 : news.charged + since
    const cap = turn === known.turn ? news.cap : same ? share.cap : served
    known[window] = { ...news, served, cap }
    if (before && served !== news.charged) known.unsettled = true
  }
}

/** A refusal that no question to the store can change: a ban, or the end of what an address may use. */
export function certainRefusal(known: Known, { limits, ban }: Caller, clock: number): Verdict | undefined {
  if (known.heardAt === 0) return undefined
  const { verdict } = judge(stateOf(known), limits, undefined, latest(known, clock))
  const certain = ban ? verdict.outcome === 'banned' : verdict.outcome === 'limited'
  return certain ? verdict : undefined
}

/**
 * The verdict on a request that the store has judged; the figures come from the one rule.
 *
 * @param later how many requests the store charged after this one
 */
export function verdictOf(known: Known, outcome: string, limits: Limits, later = 0): Verdict {
  const { minute, day, storeNow } = known
  if (outcome === 'banned') return judge(stateOf(known), limits, undefined, storeNow).verdict
  // A ban that began with a later one is not its own.
  const state = { ...stateOf(known), bannedUntil: 0 }
  if (outcome === 'limited') return judge(state, limits, undefined, storeNow).verdict
  if (outcome === 'allowed') {
    // Not judged once more: its window may have begun with one that was charged, and then not served.
    const after = { ...state, minute: less(minute, later), day: less(day, later) }
    return describe('allowed', after, limits, storeNow)
  }
  // What is left is kept for processes that are away: here and now there is none.
  const full = { startedAt: minute.label ? minute.startedAt : storeNow, used: limits.perMinute }
  return judge({ ...state, minute: full }, limits, undefined, storeNow).verdict
}

/** Whether nothing that is known of the caller matters any more. */
export function isOver(known: Known, clock: number, memorySeconds: number): boolean {
  if (known.asking > 0 || known.settling) return false
  if (known.heardAt === 0) return !known.unsettled
  const banEnd = known.bannedUntil === 0 ? 0 : known.bannedUntil + memorySeconds * 1_000
  const ends = [known.minute.startedAt + MINUTE_MS, known.day.startedAt + DAY_MS, banEnd]
  return earliest(known, clock) >= Math.max(...ends)
}

export function stateOf({ minute, day, bannedUntil, banSeconds }: Known): State {
  return { ...UNKNOWN, minute: windowOf(minute), day: windowOf(day), bannedUntil, banSeconds }
}

function windowOf({ startedAt, used }: Share): Window {
  return { startedAt, used }
}

function less({ startedAt, used }: Share, by: number): Window {
  return { startedAt, used: used - by }
}
