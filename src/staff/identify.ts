import type { IncomingMessage } from 'node:http'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { type Caller, internalViewOf } from '../http/caller.ts'
import { hashToken } from '../http/token.ts'
import { ACCESS_OF } from './roles.ts'
import { findSession, type OpenSession, SEEN_INTERVAL_MS } from './session.ts'
import { sessionToken } from './session-cookie.ts'

/**
 * Rate limits of one person, which replace those of a plan. Normal use of the console stays far below them.
 */
const LIMITS = { perMinute: 600, perDay: 50_000 } as const

/**
 * Identifies the person who is signed in, by the session cookie. Keys are cached, but sessions are not.
 * Requests of staff are few, and a session that ends in one process must end in all processes with the next
 * request.
 *
 * @returns undefined without a valid session
 * @throws when the store cannot be read
 */
export async function identifyStaff(
  { db, write, clock }: Pick<Context, 'db' | 'write' | 'clock'>,
  request: IncomingMessage,
): Promise<Caller | undefined> {
  const token = sessionToken(request)
  const hash = token === undefined ? undefined : hashToken(token)
  if (hash === undefined) return undefined
  const now = clock()
  const session = await findSession(db, hash, now)
  if (!session) return undefined
  // A person who only reads can continue while the store cannot be written.
  if (now - session.seenAt >= SEEN_INTERVAL_MS)
    await write(changes.touchSession, hash, now).catch(() => undefined)
  return callerOf(session)
}

/**
 * Each person acts through a personal key. A viewer sees the internal notes of staff, which a read key does
 * not.
 */
function callerOf({ staffId, keyId, name, role, organizationId }: OpenSession): Caller {
  const organization = organizationId ?? undefined
  return {
    kind: 'staff',
    id: keyId,
    access: ACCESS_OF[role],
    view: internalViewOf(organization),
    organizationId: organization,
    staff: { id: staffId, name, role },
    name: `staff:${staffId}`,
    limits: LIMITS,
  }
}
