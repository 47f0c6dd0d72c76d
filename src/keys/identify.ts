import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type Access, includesAccess, neededAccess } from '../access.ts'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { Hook } from '../http/app.ts'
import { counterOfAddress } from '../limits/address.ts'
import type { Caller } from '../limits/limiter.ts'
import { PLANS } from '../plans.ts'
import { findByHash, type OpenedKey } from './find-by-hash.ts'
import { type Environment, hashKey, isKeyOf } from './key-format.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's key; 0 without a valid one. */
    keyId: number
    /** What the caller's key may do; absent without a valid key. */
    access: Access | undefined
    /** Why nobody can tell whose key this is: the store did not answer. */
    unidentified?: unknown
  }
}

export interface KnownKey {
  id: number
  caller: Caller
  access: Access
  expiresAt: number
}

type Done = (error?: Error) => void

/** Keys remembered until one may have changed; a small bound, since an answer is one indexed look-up away. */
const MOST_REMEMBERED = 10_000

/** The key that a request sends, if it is remembered and valid. */
export type Recall = (request: IncomingMessage) => KnownKey | undefined

/**
 * Finds out who is calling: the key in the Authorization header, or else the client's address.
 *
 * @returns a hook for every request, and what needs no look into the store
 */
export function identify({ config, db, version, clock }: Context): { identifyCaller: Hook; recall: Recall } {
  const remembered = new Map<string, KnownKey>()
  let rememberedAt = -1
  const hashIn = hashReader(config.environment)

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
    const key = await findByHash(db, hash)
    if (!key) return undefined
    const caller = { name: `key:${key.id}`, limits: limitsOf(key), ban: config.ban, plan: key.plan }
    const known = {
      id: key.id,
      caller,
      access: key.access,
      expiresAt: key.expiresAt ?? Number.POSITIVE_INFINITY,
    }
    if (since === rememberedAt && remembered.size < MOST_REMEMBERED) remembered.set(hash, known)
    return known
  }

  function identifyCaller(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
    const settle = (key: KnownKey | undefined): void => {
      const valid = isValid(key)
      request.caller = valid ? key.caller : anonymous(request.ip, config.anonymous)
      request.keyId = valid ? key.id : 0
      request.access = valid ? key.access : undefined
      done()
    }
    const hash = hashIn(request.raw)
    const key = remember(hash)
    const settleUnknown = (cause: unknown): void => {
      request.unidentified = cause
      settle(undefined)
    }
    if (hash && !key) find(hash).then(settle, settleUnknown)
    else settle(key)
  }

  return {
    identifyCaller,
    recall(request) {
      const key = remember(hashIn(request))
      return isValid(key) ? key : undefined
    },
  }
}

/** @returns the hash of the key that a request sends, if that can be one of this environment */
function hashReader(environment: Environment): (request: IncomingMessage) => string | undefined {
  /** Of the last header on each connection: mostly the next request has it too. */
  const last = new WeakMap<Socket, { authorization: string; hash: string | undefined }>()
  return ({ socket, headers: { authorization } }) => {
    if (authorization === undefined) return undefined
    const known = last.get(socket)
    if (known?.authorization === authorization) return known.hash
    const token = tokenOf(authorization)
    const hash = token && isKeyOf(environment, token) ? hashKey(token) : undefined
    last.set(socket, { authorization, hash })
    return hash
  }
}

/** A request without a valid key, counted for its client address. */
export function anonymous(address: string | undefined, limits: Caller['limits']): Caller {
  return { name: counterOfAddress(address), limits }
}

/** Route hook: puts what src/access.ts says of the operation where the check and the description find it. */
export function declareAccess(route: RouteOptions): void {
  route.config = { ...route.config, access: neededAccess(route.schema?.operationId) }
}

/** Hook: 401 without a valid key, 403 with one that may not do what the route does. */
export function requireAccess(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  const needed = request.routeOptions.config?.access ?? 'read'
  if (request.unidentified) done(new ApiError('service_unavailable', { cause: request.unidentified }))
  else if (request.access === undefined) done(unauthenticated(request.headers.authorization))
  else if (!includesAccess(request.access, needed)) done(new ApiError('insufficient_access'))
  else done()
}

/** RFC 6750, section 3: the error is named only when a credential was sent. */
function unauthenticated(authorization: string | undefined): ApiError {
  const realm = 'Bearer realm="adoptable"'
  // Of several headers, which arrive joined, one that looks like a key is enough.
  const sent = /(?:^|, )bearer +\S/i.test(authorization ?? '')
  if (!sent) return new ApiError('missing_api_key', { headers: { 'www-authenticate': realm } })
  return new ApiError('invalid_api_key', {
    headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
  })
}

/** The token of "Bearer <token>", the scheme in any letter case (RFC 9110, section 11.1). */
function tokenOf(authorization: string): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

function limitsOf({ plan, perMinute, perDay }: OpenedKey): Caller['limits'] {
  const figures = PLANS[plan]
  // The store takes no enterprise key without its two figures.
  return figures === 'custom' ? { perMinute: Number(perMinute), perDay: Number(perDay) } : figures
}
