import type { BanRule } from '../config.ts'
import type { Limits } from '../plans.ts'

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** A fixed window, opened by the first request that it counts; `used` 0 says that none is open. */
export interface Window {
  /** Unix time in milliseconds. */
  readonly startedAt: number
  readonly used: number
}

/** All that the rule remembers of a caller. */
export interface State {
  readonly minute: Window
  readonly day: Window
  /** When the latest refusals happened, oldest first: as many as a ban needs. */
  readonly refusedAt: readonly number[]
  /** End of the latest ban and its length in seconds; zeros when there was none. */
  readonly bannedUntil: number
  readonly banSeconds: number
}

export interface Verdict {
  readonly outcome: Outcome
  /** The three headers, for the window with the fewest requests left. */
  readonly limit: number
  readonly remaining: number
  /** Unix time. */
  readonly resetAtSeconds: number
  /**
   * Seconds until every exhausted window has reopened, or until the ban ends; at least 1. Of a refusal
   * only.
   */
  readonly retryAfterSeconds: number
}

type Outcome = 'allowed' | 'limited' | 'banned'

const CLOSED: Window = { startedAt: 0, used: 0 }

export const UNKNOWN: State = { minute: CLOSED, day: CLOSED, refusedAt: [], bannedUntil: 0, banSeconds: 0 }

/**
 * The rule of the limits: judges one request and charges it to both windows or to none.
 *
 * @param ban absent for callers that are never banned
 * @param now Unix time in milliseconds; it may jump back: no window or ban then lasts longer than its length
 */
export function judge(
  state: State,
  limits: Limits,
  ban: BanRule | undefined,
  now: number,
): { verdict: Verdict; state: State } {
  const minute = at(state.minute, MINUTE_MS, now)
  const day = at(state.day, DAY_MS, now)
  const bannedUntil = Math.min(state.bannedUntil, now + state.banSeconds * 1_000)
  const seen: State = { ...state, minute, day, bannedUntil }

  if (now < bannedUntil) return { verdict: toVerdict('banned', seen, limits, now), state: seen }
  if (minute.used < limits.perMinute && day.used < limits.perDay) {
    const charged = { ...seen, minute: charge(minute, now), day: charge(day, now) }
    return { verdict: toVerdict('allowed', charged, limits, now), state: charged }
  }
  const refused = ban ? countRefusal(seen, ban, now) : seen
  const outcome = now < refused.bannedUntil ? 'banned' : 'limited'
  return { verdict: toVerdict(outcome, refused, limits, now), state: refused }
}

/** The same state by a clock that was set: no window and no ban ends sooner or later for that. */
export function moveState(state: State, byMs: number): State {
  const moveWindow = ({ startedAt, used }: Window): Window =>
    used === 0 ? CLOSED : { startedAt: startedAt + byMs, used }
  return {
    ...state,
    minute: moveWindow(state.minute),
    day: moveWindow(state.day),
    refusedAt: state.refusedAt.map((time) => time + byMs),
    bannedUntil: state.bannedUntil === 0 ? 0 : state.bannedUntil + byMs,
  }
}

function at({ startedAt, used }: Window, lengthMs: number, now: number): Window {
  return now >= startedAt + lengthMs ? CLOSED : { startedAt: Math.min(startedAt, now), used }
}

function charge(window: Window, now: number): Window {
  return window.used === 0
    ? { startedAt: now, used: 1 }
    : { startedAt: window.startedAt, used: window.used + 1 }
}

/** A ban begins with the refusal after the permitted ones, when all of them lie inside the rule's window. */
function countRefusal(state: State, ban: BanRule, now: number): State {
  const refusedAt = [...state.refusedAt, now].slice(-(ban.afterRefusals + 1))
  const oldest = refusedAt[0] as number
  if (refusedAt.length <= ban.afterRefusals || now - oldest >= ban.windowSeconds * 1_000)
    return { ...state, refusedAt }
  const again = state.bannedUntil > 0 && now < state.bannedUntil + ban.memorySeconds * 1_000
  const banSeconds = Math.min(again ? state.banSeconds * 2 : ban.seconds, ban.longestSeconds)
  return { ...state, refusedAt: [], bannedUntil: now + banSeconds * 1_000, banSeconds }
}

/** The verdict on a request, when it has been charged or refused. */
export function toVerdict(outcome: Outcome, state: State, limits: Limits, now: number): Verdict {
  const minuteLeft = Math.max(0, limits.perMinute - state.minute.used)
  const dayLeft = Math.max(0, limits.perDay - state.day.used)
  const minuteEnd = endOf(state.minute, MINUTE_MS, now)
  const dayEnd = endOf(state.day, DAY_MS, now)
  const [limit, left, end] =
    minuteLeft < dayLeft ? [limits.perMinute, minuteLeft, minuteEnd] : [limits.perDay, dayLeft, dayEnd]
  if (outcome === 'allowed')
    return { outcome, limit, remaining: left, resetAtSeconds: Math.ceil(end / 1_000), retryAfterSeconds: 0 }
  const reopens = Math.max(minuteLeft === 0 ? minuteEnd : 0, dayLeft === 0 ? dayEnd : 0)
  const until = outcome === 'banned' ? state.bannedUntil : reopens
  return {
    outcome,
    limit,
    remaining: 0,
    resetAtSeconds: Math.ceil((outcome === 'banned' ? until : end) / 1_000),
    retryAfterSeconds: Math.max(1, Math.ceil((until - now) / 1_000)),
  }
}

function endOf(window: Window, lengthMs: number, now: number): number {
  return (window.used === 0 ? now : window.startedAt) + lengthMs
}
