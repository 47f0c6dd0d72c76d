import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Access, includesAccess } from '../access.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/tables.ts'
import { type Caller, internalViewOf, type View } from '../http/caller.ts'
import type { Gate } from '../http/face.ts'
import { counterOfAddress } from '../limits/accounts.ts'
import type { Account } from '../limits/limiter.ts'
import { PLANS } from '../plans.ts'
import { type AuthenticatedKey, findByHash } from './find-by-hash.ts'
import { type Environment, hashKey, isKeyOf } from './key-format.ts'

interface CachedKey {
  caller: Caller
  expiresAt: number
}

/**
 * The maximum number of cached keys. The cache is cleared when any key changes. A small cache is enough,
 * because a lookup is a single indexed query.
 */
const MAX_CACHED_KEYS = 10_000

/** A type of bearer token. */
export interface CredentialType {
  /** @returns the hash to look up; undefined if the text cannot be a token of this type */
  hashOf(token: string): string | undefined
  find(db: Db, hash: string): Promise<AuthenticatedKey | undefined>
  /**
   * The view of callers that send such a token. If absent, the access level of the key determines the view.
   */
  view?: View
}

/** API keys as bearer tokens. */
export const apiKeyCredentials = (environment: Environment): CredentialType => ({
  hashOf: (token) => (isKeyOf(environment, token) ? hashKey(token) : undefined),
  find: findByHash,
})

/**
 * Identifies a caller by the Authorization header. Without a valid key, identifies the caller by client
 * address.
 */
export function createCallerIdentifier(
  { config, db, version, clock }: Context,
  credentials: CredentialType,
): Pick<Gate, 'identify' | 'visitor'> {
  const cache = new Map<string, CachedKey>()
  const lookups = new Map<string, Promise<CachedKey | undefined>>()
  let cachedVersion = -1
  const hashOfRequest = createHashReader(credentials)

  /**
   * Clears the cache if keys may have changed.
   *
   * @returns false when the store does not answer; `find` then throws the cause
   */
  function refreshCache(): boolean {
    try {
      const current = version('keys')
      if (current !== cachedVersion) cache.clear()
      cachedVersion = current
      return true
    } catch {
      return false
    }
  }

  function findCached(hash: string | undefined): CachedKey | undefined {
    return hash && refreshCache() ? cache.get(hash) : undefined
  }

  function isValid(key: CachedKey | undefined): key is CachedKey {
    return key !== undefined && clock() < key.expiresAt
  }

  /** Looks up a key. Requests that carry the same key at the same time share one lookup. */
  async function find(hash: string): Promise<CachedKey | undefined> {
    const since = version('keys')
    const current = `${since} ${hash}`
    const pending = lookups.get(current) ?? lookUp(hash, since).finally(() => lookups.delete(current))
    lookups.set(current, pending)
    return pending
  }

  async function lookUp(hash: string, since: number): Promise<CachedKey | undefined> {
    const key = await credentials.find(db, hash)
    if (!key) return undefined
    const { id, access } = key
    const organizationId = key.organizationId ?? undefined
    const view = credentials.view ?? viewOf(access, organizationId)
    const caller: Caller = { kind: 'key', id, access, view, organizationId, ...accountOf(key, config.ban) }
    const cached = { caller, expiresAt: key.expiresAt ?? Number.POSITIVE_INFINITY }
    if (since === cachedVersion && cache.size < MAX_CACHED_KEYS) cache.set(hash, cached)
    return cached
  }

  const visitor = (address: string | undefined): Caller => visitorOf(address, config.anonymous)

  return {
    visitor,
    identify(request, address) {
      const toCaller = (key: CachedKey | undefined): Caller => (isValid(key) ? key.caller : visitor(address))
      const hash = hashOfRequest(request)
      const key = findCached(hash)
      return hash && !key ? find(hash).then(toCaller) : toCaller(key)
    },
  }
}

/**
 * @returns a function that returns the hash of a request's token, or undefined for a request without a token
 */
function createHashReader({ hashOf }: CredentialType): (request: IncomingMessage) => string | undefined {
  /** The latest header on each connection. The next request on the connection mostly has the same header. */
  const lastByConnection = new WeakMap<Socket, { authorization: string; hash: string | undefined }>()
  return ({ socket, headers: { authorization } }) => {
    if (authorization === undefined) return undefined
    const last = lastByConnection.get(socket)
    if (last?.authorization === authorization) return last.hash
    const token = tokenOf(authorization)
    const hash = token === undefined ? undefined : hashOf(token)
    lastByConnection.set(socket, { authorization, hash })
    return hash
  }
}

/**
 * Returns the view of a key. A key that may change animals also sees internal notes. A key of an organization
 * sees only the notes of that organization.
 */
function viewOf(access: Access, organizationId: number | undefined): View {
  if (!includesAccess(access, 'write')) return 'public'
  return internalViewOf(organizationId)
}

/** The caller of a request without a valid key. Its requests are counted by client address. */
export function visitorOf(address: string | undefined, limits: Caller['limits']): Caller {
  return { kind: 'visitor', id: 0, view: 'public', name: counterOfAddress(address), limits }
}

/** Reads the token from "Bearer <token>". The scheme is case-insensitive (RFC 9110, section 11.1). */
function tokenOf(authorization: string): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

/** Returns the account under which the limiter counts the requests of a key. */
export function accountOf(key: AuthenticatedKey, ban: Caller['ban']): Account {
  const { id, plan } = key
  return { name: `key:${id}`, limits: limitsOf(key), ...(ban && { ban }), plan }
}

function limitsOf({ plan, perMinute, perDay }: AuthenticatedKey): Caller['limits'] {
  const limits = PLANS[plan]
  // For an enterprise key, a constraint in the database guarantees that both numbers exist.
  return limits === 'custom' ? { perMinute: Number(perMinute), perDay: Number(perDay) } : limits
}
