import type { Access, Role } from '../access.ts'
import type { BanRule } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { Limits, Plan } from '../plans.ts'

/** The part of the data that a caller may see. Callers share a cached response only if views are equal. */
export type View = 'all' | 'public' | `organization:${number}`

/** Checks whether the view includes the data of an organization that only staff may see. */
export function seesInternalData(view: View, organizationId: unknown): boolean {
  return view === 'all' || (view !== 'public' && view === `organization:${organizationId}`)
}

/** The view of staff and of keys with write access: all data, or the data of one organization. */
export function internalViewOf(organizationId: number | undefined): View {
  return organizationId === undefined ? 'all' : `organization:${organizationId}`
}

/** The sender of a request. The gate of a face creates a Caller for each request. */
export interface Caller {
  kind: 'key' | 'staff' | 'visitor'
  /** Id of the key; 0 for a visitor. Each member of staff acts through a key of that person alone. */
  id: number
  /** Absent for a visitor. */
  access?: Access
  view: View
  /** The organization of a key. Such a key can change only data of its organization. */
  organizationId?: number | undefined
  /** Only for staff. */
  staff?: { id: number; name: string; role: Role }
  /** Names the rate limit counter: key:7, staff:7, ip:192.0.2.1. */
  name: string
  limits: Limits
  /** Absent for addresses and staff, who are never banned. */
  ban?: BanRule
  /** The plan of a key. Only metrics use it, as a label. */
  plan?: Plan
}

/** The key that makes a change, and its organization. */
export interface Actor {
  keyId: number
  organizationId?: number | undefined
}

export function actorOf({ id, organizationId }: Caller): Actor {
  return { keyId: id, organizationId }
}

/** @throws {ApiError} other_organization if the actor's organization does not own the resource */
export function requireOwnOrganization(
  actor: Pick<Actor, 'organizationId'>,
  organizationId: number | undefined,
): void {
  const own = actor.organizationId
  if (own !== undefined && organizationId !== own) throw new ApiError('other_organization')
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate. Absent on open routes. */
    caller: Caller
  }
}
