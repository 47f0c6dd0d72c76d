import type { IncomingMessage } from 'node:http'
import type { Context } from '../context.ts'
import { type Caller, insideView } from '../http/caller.ts'
import { ACCESS_OF } from './roles.ts'
import { findSession, isOver, type OpenSession, SEEN_EVERY_MS } from './session.ts'
import { sessionToken } from './session-cookie.ts'
import { hashToken } from './token.ts'

interface Known {
  session: OpenSession
  caller: Caller
}

/** Sessions remembered until one may be over; the others are one indexed look-up away. */
const MOST_REMEMBERED = 1_000

/** What one person may ask for: no plan counts it, and no page of the console comes near it. */
const LIMITS = { perMinute: 600, perDay: 50_000 } as const

/** Finds out who is signed in, by the cookie. */
export function identifyStaff({ db, write, version, clock }: Context): {
  /** @returns undefined where that needs a look into the store, or nobody is signed in */
  recall(request: IncomingMessage): Caller | undefined
  /** @returns undefined where nobody is signed in. @throws when the store cannot tell */
  identify(request: IncomingMessage): Promise<Caller | undefined>
} {
  const remembered = new Map<string, Known>()
  let rememberedAt = -1

  /** Forgets what may have changed: sessions end with a sign-out anywhere, and roles may be others. */
  function recallByHash(hash: string | undefined): Caller | undefined {
    if (hash === undefined) return undefined
    const now = version('keys')
    if (now !== rememberedAt) remembered.clear()
    rememberedAt = now
    const known = remembered.get(hash)
    if (!known) return undefined
    // Another process may have seen it since.
    return isOver(known.session, clock()) || isDue(known.session) ? undefined : known.caller
  }

  function isDue({ seenAt }: OpenSession): boolean {
    return clock() - seenAt >= SEEN_EVERY_MS
  }

  async function find(hash: string): Promise<Caller | undefined> {
    const since = version('keys')
    const found = await findSession(db, hash, clock())
    if (!found) return undefined
    const session = isDue(found) ? { ...found, seenAt: clock() } : found
    // Whoever only reads goes on where nothing can be written.
    if (session !== found) await write('seeSession', hash, session.seenAt).catch(() => undefined)
    const caller = callerOf(session)
    if (since !== rememberedAt) return caller
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    remembered.set(hash, { session, caller })
    return caller
  }

  return {
    recall(request) {
      try {
        return recallByHash(hashOf(request))
      } catch {
        // The store cannot say; `identify` then meets the cause.
        return undefined
      }
    },
    async identify(request) {
      const hash = hashOf(request)
      return hash === undefined ? undefined : (recallByHash(hash) ?? (await find(hash)))
    },
  }
}

function hashOf(request: IncomingMessage): string | undefined {
  const token = sessionToken(request)
  return token === undefined ? undefined : hashToken(token)
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
