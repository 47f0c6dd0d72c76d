import type { Caller } from '../http/caller.ts'
import type { Verdict } from './window.ts'

/** What of a caller is counted: a key, or the address of a request that has no valid one. */
export type Account = Pick<Caller, 'name' | 'limits' | 'ban' | 'plan'>

/** A verdict that counts, or one that could not be kept: the request then is not served. */
export type Ruling = Verdict & { lost?: unknown }

/** Judges and charges requests. */
export interface Limiter {
  /** Never rejects; a promise only where the verdict has to wait for a disk or a network. */
  take(account: Account): Ruling | Promise<Ruling>
  /** Rejects while it can let nobody in, because it has never reached what it counts in. */
  ready(): Promise<void>
  /** Forgets callers about whom nothing is left to remember. */
  sweep(): Promise<void>
  /** Keeps the exact counters for the next start. */
  close(): Promise<void>
}
