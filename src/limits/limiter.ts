import type { BanRule } from '../config.ts'
import type { Limits, Plan } from '../plans.ts'
import type { Verdict } from './window.ts'

/** Who is counted: a key, or the address of a request that has no valid one. */
export interface Caller {
  /** Name of its counters: key:7, ip:192.0.2.1. */
  name: string
  limits: Limits
  /** Absent for addresses, which are never banned. */
  ban?: BanRule
  /** Of a key: tells in the metrics who is meant, and decides nothing. */
  plan?: Plan
}

/** A verdict that counts, or one that could not be kept: the request then is not served. */
export type Ruling = Verdict & { lost?: unknown }

/** Judges and charges requests. */
export interface Limiter {
  /** Never rejects; a promise only where the verdict has to wait for a disk or a network. */
  take(caller: Caller): Ruling | Promise<Ruling>
  /** Rejects while it can let nobody in, because it has never reached what it counts in. */
  ready(): Promise<void>
  /** Forgets callers about whom nothing is left to remember. */
  sweep(): Promise<void>
  /** Keeps the exact counters for the next start. */
  close(): Promise<void>
}
