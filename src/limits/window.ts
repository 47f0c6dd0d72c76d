import type { BanRule } from '../config.ts'
import type { Limits } from '../plans.ts'

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/** A fixed window that starts with the first request it counts. `used` is 0 when no window is open. */
export interface Window {
  /** Unix time in milliseconds. */
  readonly startedAt: number
  readonly used: number
}

/** The rate limit state of a caller. */
export interface State {
  readonly minute: Window
  readonly day: Window
  /** Times of the latest refusals, oldest first. The list has at most as many as a ban needs. */
  readonly refusedAt: readonly number[]
  /** End of the latest ban, and its length in seconds; zeros without a ban. */
  readonly bannedUntil: number
  readonly banSeconds: number
}

export interface Verdict {
  readonly outcome: Outcome
  /** The values of the three rate limit headers. They describe the window with the fewest requests left. */
  readonly limit: number
  readonly remaining: number
  /** Unix time. */
  readonly resetAtSeconds: number
  /** Seconds until every exhausted window, or the ban, has ended. At least 1 for a refusal, otherwise 0. */
  readonly retryAfterSeconds: number
}

type Outcome = 'allowed' | 'limited' | 'banned'

const CLOSED: Window = { startedAt: 0, used: 0 }

export const INITIAL_STATE: State = {
  minute: CLOSED,
  day: CLOSED,
  refusedAt: [],
  bannedUntil: 0,
  banSeconds: 0,
}

/**
 * The rate limit rule: decides about one request, and charges it to both windows or to neither.
 * @param ban absent for callers that are never banned
 * @param now Unix time in milliseconds. May jump back: no window or ban then lasts longer than its length.
 */
export function evaluate(
  state: State,
  limits: Limits,
  ban: BanRule | undefined,
  now: number,
): { verdict: Verdict; state: State } {
  const minute = currentWindow(state.minute, MINUTE_MS, now)
  const day = currentWindow(state.day, DAY_MS, now)
  const bannedUntil = Math.min(state.bannedUntil, now + state.banSeconds * 1_000)
  const current: State = { ...state, minute, day, bannedUntil }

  if (now < bannedUntil) return { verdict: toVerdict('banned', current, limits, now), state: current }
  if (minute.used < limits.perMinute && day.used < limits.perDay) {
    const charged = { ...current, minute: charge(minute, now), day: charge(day, now) }
    return { verdict: toVerdict('allowed', charged, limits, now), state: charged }
  }
  const refused = ban ? countRefusal(current, ban, now) : current
  const outcome = now < refused.bannedUntil ? 'banned' : 'limited'
  return { verdict: toVerdict(outcome, refused, limits, now), state: refused }
}

/** Shifts all times by as much as the clock was set, so no window or ban becomes longer or shorter. */
export function shiftState(state: State, byMs: number): State {
  const shiftWindow = ({ startedAt, used }: Window): Window =>
    used === 0 ? CLOSED : { startedAt: startedAt + byMs, used }
  return {
    ...state,
    minute: shiftWindow(state.minute),
    day: shiftWindow(state.day),
    refusedAt: state.refusedAt.map((time) => time + byMs),
    bannedUntil: state.bannedUntil === 0 ? 0 : state.bannedUntil + byMs,
  }
}

function currentWindow({ startedAt, used }: Window, lengthMs: number, now: number): Window {
  return now >= startedAt + lengthMs ? CLOSED : { startedAt: Math.min(startedAt, now), used }
}

function charge(window: Window, now: number): Window {
  return window.used === 0
    ? { startedAt: now, used: 1 }
    : { startedAt: window.startedAt, used: window.used + 1 }
}

/** Records a refusal. More than `afterRefusals` of them within the ban rule's window start a ban. */
function countRefusal(state: State, ban: BanRule, now: number): State {
  const refusedAt = [...state.refusedAt, now].slice(-(ban.afterRefusals + 1))
  const oldest = refusedAt[0] as number
  if (refusedAt.length <= ban.afterRefusals || now - oldest >= ban.windowSeconds * 1_000)
    return { ...state, refusedAt }
  const isRepeated = state.bannedUntil > 0 && now < state.bannedUntil + ban.memorySeconds * 1_000
  const banSeconds = Math.min(isRepeated ? state.banSeconds * 2 : ban.seconds, ban.longestSeconds)
  return { ...state, refusedAt: [], bannedUntil: now + banSeconds * 1_000, banSeconds }
}

/** The verdict on a request that has already been charged or refused. */
export function toVerdict(outcome: Outcome, state: State, limits: Limits, now: number): Verdict {
  const minuteLeft = Math.max(0, limits.perMinute - state.minute.used)
  const dayLeft = Math.max(0, limits.perDay - state.day.used)
  const minuteEnd = endOf(state.minute, MINUTE_MS, now)
  const dayEnd = endOf(state.day, DAY_MS, now)
  const [limit, left, end] =
    minuteLeft < dayLeft ? [limits.perMinute, minuteLeft, minuteEnd] : [limits.perDay, dayLeft, dayEnd]
  if (outcome === 'allowed')
    return { outcome, limit, remaining: left, resetAtSeconds: Math.ceil(end / 1_000), retryAfterSeconds: 0 }
  const reopensAt = Math.max(minuteLeft === 0 ? minuteEnd : 0, dayLeft === 0 ? dayEnd : 0)
  const until = outcome === 'banned' ? state.bannedUntil : reopensAt
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
