import { ApiError } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { Admission } from '../http/face.ts'
import type { Verdict } from './window.ts'

/** The owner of a counter: a key, or the client address of a request without a valid key. */
export type Account = Pick<Caller, 'name' | 'limits' | 'ban' | 'plan'>

/** With `storeError`, the request could not be counted, and the service must not handle it. */
export type LimiterVerdict = Verdict & { storeError?: unknown }

/** Decides which requests are allowed, and counts requests. */
export interface Limiter {
  /** Never rejects. Returns a promise only when the verdict waits for the disk or the network. */
  take(account: Account): LimiterVerdict | Promise<LimiterVerdict>
  /** The requests of a caller in the current day's window, by counter name. Absent if others count too. */
  usedToday?(name: string): number
  /** Rejects until the limiter has reached its store for the first time since the start. */
  ready(): Promise<void>
  /** Forgets callers whose windows and bans have all ended. */
  sweep(): Promise<void>
  /** Saves the exact counters for the next start. */
  close(): Promise<void>
}

/** Counts a request for an account, and returns the rate limit headers (contract, section 8.2). */
export function charge(limiter: Limiter, account: Account): Admission | Promise<Admission> {
  const verdict = limiter.take(account)
  return verdict instanceof Promise ? verdict.then(toAdmission) : toAdmission(verdict)
}

function toAdmission(verdict: LimiterVerdict): Admission {
  const { limit, remaining, resetAtSeconds } = verdict
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAtSeconds),
  }
  return { headers, refusal: refusalOf(verdict) }
}

function refusalOf({ outcome, retryAfterSeconds, storeError }: LimiterVerdict): ApiError | undefined {
  if (storeError !== undefined) return new ApiError('service_unavailable', { cause: storeError })
  if (outcome === 'allowed') return undefined
  const code = outcome === 'banned' ? 'api_key_banned' : 'rate_limit_exceeded'
  return new ApiError(code, { headers: { 'retry-after': String(retryAfterSeconds) } })
}
