import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Access, includesAccess } from '../access.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/tables.ts'
import { type Caller, insideView, type View } from '../http/caller.ts'
import type { Gate } from '../http/face.ts'
import { counterOfAddress } from '../limits/address.ts'
import type { Account } from '../limits/limiter.ts'
import { PLANS } from '../plans.ts'
import { findByHash, type OpenedKey } from './find-by-hash.ts'
import { type Environment, hashKey, isKeyOf } from './key-format.ts'

interface KnownKey {
  caller: Caller
  expiresAt: number
}

/** Keys remembered until one may have changed; a small bound, since an answer is one indexed look-up away. */
const MAX_REMEMBERED = 10_000

/** What callers show of themselves behind Bearer. */
export interface Credentials {
  /** @returns the hash of what can be one; others are refused without a look-up */
  hashOf(token: string): string | undefined
  find(db: Db, hash: string): Promise<OpenedKey | undefined>
  /** What a key sees; absent for all that it may. */
  view?: View
}

/** The key itself. */
export const keysOf = (environment: Environment): Credentials => ({
  hashOf: (token) => (isKeyOf(environment, token) ? hashKey(token) : undefined),
  find: findByHash,
})

/** Finds out who is calling: by the credentials in the Authorization header, or else the client's address. */
export function identifyKeys(
  { config, db, version, clock }: Context,
  credentials: Credentials,
): Pick<Gate, 'identify' | 'visitor'> {
  const remembered = new Map<string, KnownKey>()
  let rememberedAt = -1
  const hashIn = hashReader(credentials)

  /** Forgets what may have changed. @returns false when the store cannot say; `find` then meets the cause */
  function isCurrent(): boolean {
    try {
      const now = version('keys')
      if (now !== rememberedAt) remembered.clear()
      rememberedAt = now
      return true
    } catch {
      return false
    }
  }

  function remember(hash: string | undefined): KnownKey | undefined {
    return hash && isCurrent() ? remembered.get(hash) : undefined
  }

  function isValid(key: KnownKey | undefined): key is KnownKey {
    return key !== undefined && clock() < key.expiresAt
  }

  async function find(hash: string): Promise<KnownKey | undefined> {
    const since = version('keys')
    const key = await credentials.find(db, hash)
    if (!key) return undefined
    const { id, access } = key
    const organizationId = key.organizationId ?? undefined
    const view = credentials.view ?? viewOf(access, organizationId)
    const caller: Caller = { kind: 'key', id, access, view, organizationId, ...accountOf(key, config.ban) }
    const known = { caller, expiresAt: key.expiresAt ?? Number.POSITIVE_INFINITY }
    if (since === rememberedAt && remembered.size < MAX_REMEMBERED) remembered.set(hash, known)
    return known
  }

  const visitor = (address: string | undefined): Caller => visitorOf(address, config.anonymous)

  return {
    visitor,
    identify(request, address) {
      const toCaller = (key: KnownKey | undefined): Caller => (isValid(key) ? key.caller : visitor(address))
      const hash = hashIn(request)
      const key = remember(hash)
      return hash && !key ? find(hash).then(toCaller) : toCaller(key)
    },
  }
}

/** @returns the hash of what a request sends, if that can be any */
function hashReader({ hashOf }: Credentials): (request: IncomingMessage) => string | undefined {
  /** Of the last header on each connection: mostly the next request has it too. */
  const last = new WeakMap<Socket, { authorization: string; hash: string | undefined }>()
  return ({ socket, headers: { authorization } }) => {
    if (authorization === undefined) return undefined
    const known = last.get(socket)
    if (known?.authorization === authorization) return known.hash
    const token = tokenOf(authorization)
    const hash = token === undefined ? undefined : hashOf(token)
    last.set(socket, { authorization, hash })
    return hash
  }
}

/** What staff write for each other is for those who change animals: of an organization, its own. */
function viewOf(access: Access, organizationId: number | undefined): View {
  if (!includesAccess(access, 'write')) return 'public'
  return insideView(organizationId)
}

/** A request without a valid key, counted for its client address. */
export function visitorOf(address: string | undefined, limits: Caller['limits']): Caller {
  return { kind: 'visitor', id: 0, view: 'public', name: counterOfAddress(address), limits }
}

/** The token of "Bearer <token>", the scheme in any letter case (RFC 9110, section 11.1). */
function tokenOf(authorization: string): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

/** What requests of a key are counted for. */
export function accountOf(key: OpenedKey, ban: Caller['ban']): Account {
  const { id, plan } = key
  return { name: `key:${id}`, limits: limitsOf(key), ...(ban && { ban }), plan }
}

function limitsOf({ plan, perMinute, perDay }: OpenedKey): Caller['limits'] {
  const figures = PLANS[plan]
  // The store takes no enterprise key without its two figures.
  return figures === 'custom' ? { perMinute: Number(perMinute), perDay: Number(perDay) } : figures
}
