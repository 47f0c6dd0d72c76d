import type { Access, Role } from '../access.ts'
import type { BanRule } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { Limits, Plan } from '../plans.ts'

/** Which part of the data a caller sees. Two callers share an answer only if they have the same view. */
export type View = 'all' | 'public' | `organization:${number}`

/** Whether the view shows what staff alone see of something that belongs to an organization, or to none. */
export function seesWhole(view: View, organizationId: unknown): boolean {
  return view === 'all' || (view !== 'public' && view === `organization:${organizationId}`)
}

/** The view of those who work with animals: of an organization, its own. */
export function insideView(organizationId: number | undefined): View {
  return organizationId === undefined ? 'all' : `organization:${organizationId}`
}

/** Who sends a request: made once, by the gate of a face, and passed down. */
export interface Caller {
  kind: 'key' | 'staff' | 'visitor'
  /** Of the key, also of the one through which a member of staff acts; 0 for a visitor. */
  id: number
  /** Absent for a visitor. */
  access?: Access
  view: View
  /** Of a key that belongs to one: it changes nothing that is another's. */
  organizationId?: number | undefined
  /** Of a member of staff. */
  staff?: { id: number; name: string; role: Role }
  /** Name of the counters: key:7, staff:7, ip:192.0.2.1. */
  name: string
  limits: Limits
  /** Absent for addresses and staff, who are never banned. */
  ban?: BanRule
  /** Of a key: tells in the metrics who is meant, and decides nothing. */
  plan?: Plan
}

/** Who makes a change. */
export interface Actor {
  keyId: number
  organizationId?: number | undefined
}

export function actorOf({ id, organizationId }: Caller): Actor {
  return { keyId: id, organizationId }
}

/** @throws {ApiError} other_organization when they belong to one, and this belongs to another or to none */
export function requireOwn(actor: Pick<Actor, 'organizationId'>, organizationId: number | undefined): void {
  const own = actor.organizationId
  if (own !== undefined && organizationId !== own) throw new ApiError('other_organization')
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate; absent on routes that are open. */
    caller: Caller
  }
}
