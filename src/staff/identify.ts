import type { IncomingMessage } from 'node:http'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { type Caller, insideView } from '../http/caller.ts'
import { hashToken } from '../http/token.ts'
import { ACCESS_OF } from './roles.ts'
import { findSession, type OpenSession, SEEN_EVERY_MS } from './session.ts'
import { sessionToken } from './session-cookie.ts'

/** What one person may ask for: no plan counts it, and no page of the console comes near it. */
const LIMITS = { perMinute: 600, perDay: 50_000 } as const

/**
 * Finds out who is signed in, by the cookie. Nothing is remembered, unlike of keys: people ask seldom, and a
 * session that has ended anywhere has to be over in every process with the next request.
 *
 * @returns undefined where nobody is
 * @throws when the store cannot tell
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
  // Whoever only reads goes on where nothing can be written.
  if (now - session.seenAt >= SEEN_EVERY_MS) await write(changes.seeSession, hash, now).catch(() => undefined)
  return callerOf(session)
}

/**
 * Acts through a key of its own. Unlike a key that only reads, a viewer sees what staff write for each other.
 */
function callerOf({ staffId, keyId, name, role, organizationId }: OpenSession): Caller {
  const organization = organizationId ?? undefined
  return {
    kind: 'staff',
    id: keyId,
    access: ACCESS_OF[role],
    view: insideView(organization),
    organizationId: organization,
    staff: { id: staffId, name, role },
    name: `staff:${staffId}`,
    limits: LIMITS,
  }
}
