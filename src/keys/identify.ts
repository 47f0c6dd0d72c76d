import { type Access, includesAccess } from '../access.ts'
import type { Context } from '../context.ts'
import { prepareQuery } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { type Caller, internalViewOf, type View } from '../http/caller.ts'
import type { Gate } from '../http/face.ts'
import { counterOfAddress } from '../limits/accounts.ts'
import type { Account } from '../limits/limiter.ts'
import { PLANS, type Plan } from '../plans.ts'
import { type Environment, hashKey, isKeyOf } from './key-format.ts'

interface ValidKey {
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
  /** The view of callers with such a token. If absent, the access level of the key determines it. */
  view?: View
}

/** API keys as bearer tokens. */
export const apiKeyCredentials = (environment: Environment): CredentialType => ({
  hashOf: (token) => (isKeyOf(environment, token) ? hashKey(token) : undefined),
  find: findByHash,
})

/** Identifies a caller by the Authorization header or, without a valid key, by client address. */
export function createCallerIdentifier(
  { config, db, version, clock }: Context,
  credentials: CredentialType,
): Pick<Gate, 'identify' | 'visitor'> {
  /** Keys by hash, and running lookups. Requests that carry the same key share a lookup. */
  const cache = new Map<string, ValidKey | Promise<ValidKey | undefined>>()
  let cachedVersion = -1

  async function lookUp(hash: string): Promise<ValidKey | undefined> {
    const key = await credentials.find(db, hash)
    if (!key) return undefined
    const { id, access } = key
    const organizationId = key.organizationId ?? undefined
    const view = credentials.view ?? viewOf(access, organizationId)
    const caller: Caller = { kind: 'key', id, access, view, organizationId, ...accountOf(key, config.ban) }
    return { caller, expiresAt: key.expiresAt ?? Number.POSITIVE_INFINITY }
  }

  /** @throws when the store does not answer */
  function find(hash: string): ValidKey | Promise<ValidKey | undefined> {
    const current = version('keys')
    if (current !== cachedVersion) cache.clear()
    cachedVersion = current
    const cached = cache.get(hash)
    if (cached || cache.size >= MAX_CACHED_KEYS) return cached ?? lookUp(hash)
    const lookup = lookUp(hash)
    cache.set(hash, lookup)
    const finish = (key?: ValidKey): void => {
      if (cache.get(hash) !== lookup) return
      if (key) cache.set(hash, key)
      else cache.delete(hash)
    }
    lookup.then(finish, () => finish())
    return lookup
  }

  const visitor = (address: string | undefined): Caller => visitorOf(address, config.anonymous)

  /** Returns a cached caller immediately, so a refusal is sent before the next request is read. */
  function identifyKey(hash: string, address: string): Caller | Promise<Caller> {
    const toCaller = (key: ValidKey | undefined): Caller =>
      key && clock() < key.expiresAt ? key.caller : visitor(address)
    try {
      const key = find(hash)
      return key instanceof Promise ? key.then(toCaller) : toCaller(key)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  return {
    visitor,
    identify({ headers: { authorization = '' } }, address) {
      const token = tokenOf(authorization)
      const hash = token && credentials.hashOf(token)
      return hash ? identifyKey(hash, address) : visitor(address)
    },
  }
}

/** Keys that may change animals also see internal notes; keys of an organization see only its own notes. */
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

/** A valid key, which was found by one of its secrets. */
export interface AuthenticatedKey {
  id: number
  access: Access
  plan: Plan
  /** Only for enterprise keys. */
  perMinute: number | null
  perDay: number | null
  /** null for a key of the whole installation. */
  organizationId: number | null
  /** When the secret expires, in Unix milliseconds. Null if the secret never expires. */
  expiresAt: number | null
}

/** The columns of `api_key` that an AuthenticatedKey needs. */
export const KEY_COLUMNS = [
  'api_key.id',
  'plan',
  'access',
  'per_minute as perMinute',
  'per_day as perDay',
  'organization_id as organizationId',
] as const

const findKeyByHash = prepareQuery<{ hash: string }, AuthenticatedKey>((db, fill) =>
  db
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.key_id')
    .select([...KEY_COLUMNS, 'expires_at as expiresAt'])
    .where('hash', '=', fill('hash'))
    .where('revoked_at', 'is', null),
)

/** Finds the key that has a secret. Does not find revoked keys. */
export async function findByHash(db: Db, hash: string): Promise<AuthenticatedKey | undefined> {
  const [key] = await findKeyByHash(db, { hash })
  return key
}
