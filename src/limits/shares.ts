import type { FastifyRequest } from 'fastify'
import { ApiError, Overload } from '../errors.ts'
import type { App } from '../http/app.ts'
import { counterOfAddress } from './accounts.ts'
import { openRoundRobin } from './round-robin.ts'

export interface ShareLimits {
  /** The maximum number of slots in use at the same time in one process. */
  max: number
  /** The maximum per key or person. A quarter of `max` when absent. */
  maxPerCaller?: number
  /** The error message for a caller that has used up its share. If absent, requests wait instead. */
  advice?: string
  /** After this wait a request gets a 503. */
  maxWaitMs?: number
}

/** Limits of shared resources. No client gets more than a quarter of any of them, rounded up. */
export const SHARE_LIMITS = {
  /** Each upload takes a connection, a file, and up to 15 MB of disk. */
  photoUploads: {
    max: 64,
    advice: 'You are uploading too many photos at once. Wait until one is done, then send this one again.',
  },
  /** Photos that were received. One at a time is decoded. */
  newPhotos: {
    max: 64,
    advice: 'Too many of your photos are being processed. Wait until one is done, then send this one again.',
  },
  /** Renditions that do not exist yet. A page with new photos requests many of them at once. */
  photoSizes: {
    max: 80,
    advice: 'You are requesting too many new photos at once. Wait a second, then try again.',
  },
  /** Import files that are being received. They are held in memory. */
  importUploads: {
    max: 8,
    advice:
      'Your shelter is uploading too many files at once. Wait until one is done, then send this one again.',
  },
  /** Imports and their previews. */
  imports: {
    ...{ max: 8, maxPerCaller: 1 },
    advice: 'Another file of yours is still being read. Wait until it is done, then send this one again.',
  },
  /** Searches, lists and all other reads. */
  reads: { max: 64, maxWaitMs: 5_000 },
  /** Open streams of events. A stream uses its slot until it ends. */
  streams: {
    ...{ max: 4_000, maxPerCaller: 5 },
    advice: 'Your API key already has 5 open streams of events. Close one, then open this one again.',
  },
  /** A password hash takes 19 MiB and one of the four pool threads, which file reads need too. */
  signIns: { max: 2, maxPerCaller: 1, maxWaitMs: 10_000 },
} as const satisfies Record<string, ShareLimits>

/**
 * Deliveries of webhooks that are being sent. They wait in the store, and the dispatcher counts them. A party
 * gets at most a quarter of what the others leave free, so a few slow parties cannot use up all slots.
 */
export const DELIVERY_LIMITS = { max: 128, maxPerWebhook: 4 } as const

export type ShareName = keyof typeof SHARE_LIMITS

/** The user of a shared resource. Keys of one organization wait in the same queue. */
export interface Party {
  /** The name of the `Caller`. */
  caller: string
  organization?: string | undefined
  address?: string | undefined
}

export function partyOf({ caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>): Party {
  const address = counterOfAddress(ip)
  // A request of an open route has no caller.
  const { name = address, organizationId } = caller ?? {}
  return {
    caller: name,
    organization: organizationId === undefined ? undefined : `organization:${organizationId}`,
    address,
  }
}

export const queueKeyOf = ({ caller, organization }: Party): string => organization ?? caller

export interface Share {
  /**
   * Takes a slot. Dispose it to free the slot.
   * @throws {ApiError} rate_limit_exceeded when the party's share is used up, service_unavailable when no
   *   slot is free
   */
  take(party: Party): Disposable
  /**
   * Runs work in a slot. If requests may wait, waits for a free slot. The work may free its slot early.
   * @param isGone whether the client has left
   * @throws {ApiError} as `take`; service_unavailable after `maxWaitMs`, or when the store fails during the
   *   wait; request_timeout when the client has left
   */
  run<Result>(
    party: Party,
    work: (slot: Disposable) => Result | Promise<Result>,
    isGone?: () => boolean,
  ): Promise<Result>
}

interface WaitingRequest {
  party: Party
  isGone(): boolean
  admit(slot: Disposable | undefined): void
  fail(error: ApiError): void
}

/** Counts the slots in use, by party. */
function openSlotCounts({ max, maxPerCaller = max / 4 }: ShareLimits) {
  const inUse = new Map<string, number>()
  let total = 0
  const namesOf = ({ caller, organization = caller, address = caller }: Party) =>
    new Set([caller, organization, address])
  return {
    isFull: () => total >= max,
    hasUsedShare(party: Party): boolean {
      for (const name of namesOf(party))
        if ((inUse.get(name) ?? 0) >= (name === party.caller ? maxPerCaller : max / 4)) return true
      return false
    },
    count(party: Party, by: 1 | -1): void {
      total += by
      for (const name of namesOf(party)) {
        const count = (inUse.get(name) ?? 0) + by
        if (count > 0) inUse.set(name, count)
        else inUse.delete(name)
      }
    },
  }
}

export function openShare(name: ShareName): Share {
  const limits: ShareLimits = SHARE_LIMITS[name]
  const { advice, maxWaitMs } = limits
  const { isFull, hasUsedShare, count } = openSlotCounts(limits)
  const waiting = openRoundRobin<WaitingRequest>()

  function occupy(party: Party): Disposable {
    count(party, 1)
    let isOccupied = true
    return {
      [Symbol.dispose]() {
        if (!isOccupied) return
        isOccupied = false
        count(party, -1)
        admitWaiting()
      },
    }
  }

  /** Gives free slots to waiting requests, except those of a client whose share is used up. */
  function admitWaiting(): void {
    while (!isFull()) {
      const next = waiting.takeNext(({ isGone, party }) => isGone() || !hasUsedShare(party))
      if (!next) return
      if (!next.isGone()) next.admit(occupy(next.party))
      // Takes all of them at once, because each scan tests all waiting requests.
      else for (const gone of [next, ...waiting.takeEvery(({ isGone }) => isGone())]) gone.admit(undefined)
    }
  }

  /** @throws {ApiError} service_unavailable after `maxWaitMs` */
  function wait(party: Party, isGone: () => boolean): Promise<Disposable | undefined> {
    const { promise, resolve: admit, reject: fail } = Promise.withResolvers<Disposable | undefined>()
    const request = { party, isGone, admit, fail }
    waiting.add(queueKeyOf(party), request)
    const timer = setTimeout(() => {
      waiting.remove(queueKeyOf(party), request)
      fail(noSlotError())
    }, maxWaitMs)
    return promise.finally(() => clearTimeout(timer))
  }

  const headers = { connection: 'close', 'retry-after': '1' }
  const noSlotError = (): ApiError =>
    new ApiError('service_unavailable', { headers, cause: new Overload(`no ${name} left`) })

  function take(party: Party): Disposable {
    if (hasUsedShare(party))
      throw new ApiError('rate_limit_exceeded', { ...(advice && { message: advice }), headers })
    if (isFull()) throw noSlotError()
    return occupy(party)
  }

  return {
    take,
    async run(party, work, isGone = () => false) {
      const mayWait = advice === undefined && (isFull() || hasUsedShare(party))
      using slot = mayWait ? await wait(party, isGone) : take(party)
      if (!slot) throw new ApiError('request_timeout')
      try {
        return await work(slot)
      } catch (error) {
        // The store has failed, so the other requests in the queue would fail later anyway.
        if (isFailure(error)) for (const { fail } of waiting.takeAll(queueKeyOf(party))) fail(error)
        throw error
      }
    },
  }
}

/** Whether the error means that a part of the service has failed. An overload is not a failure. */
function isFailure(error: unknown): error is ApiError {
  const isUnavailable = error instanceof ApiError && error.code === 'service_unavailable'
  return isUnavailable && !(error.cause instanceof Overload)
}

export type Shares = Record<ShareName, Share>

export function openShares(): Shares {
  const names = Object.keys(SHARE_LIMITS) as ShareName[]
  return Object.fromEntries(names.map((name) => [name, openShare(name)])) as Shares
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The slot that the request holds. */
    slot?: Disposable
  }
  interface FastifyContextConfig {
    /** The shared resource that requests of this route use while handled. The default is `reads` for GET. */
    share?: ShareName
  }
}

/** Adds hooks: each request holds a slot of its caller's share until its response begins. */
export function shareRoutes(app: App, shares: Shares): void {
  app.addHook('onRoute', (route) => {
    const { config = {}, method, handler } = route
    const isRead = !config.open && ['GET', 'HEAD'].includes(String(method))
    const share = config.share ?? (isRead ? 'reads' : undefined)
    if (share === undefined) return
    route.handler = function (request, reply) {
      const handle = (slot: Disposable): unknown => {
        request.slot = slot
        return handler.call(this, request, reply)
      }
      return shares[share].run(partyOf(request), handle, () => request.raw.socket.destroyed)
    }
  })
  // Frees the slot early: a handler that returns its reply ends only when the client has read the response.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.slot?.[Symbol.dispose]()
    done()
  })
}
