import type { Access } from '../access.ts'
import type { BanRule } from '../config.ts'
import type { Limits, Plan } from '../plans.ts'

/** Which part of the data a caller sees. Two callers share an answer only if they have the same view. */
export type View = 'all' | 'public' | `organization:${number}`

/** Who sends a request: made once, by the gate of a face, and passed down. */
export interface Caller {
  kind: 'key' | 'visitor'
  /** Of the key; 0 for a visitor. */
  id: number
  /** Absent for a visitor. */
  access?: Access
  view: View
  /** Name of the counters: key:7, ip:192.0.2.1. */
  name: string
  limits: Limits
  /** Absent for addresses, which are never banned. */
  ban?: BanRule
  /** Of a key: tells in the metrics who is meant, and decides nothing. */
  plan?: Plan
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate; absent on routes that are open. */
    caller: Caller
  }
}
