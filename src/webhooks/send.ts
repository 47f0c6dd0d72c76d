import { randomInt } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ClosedAddressError, isLookupError, parseOutbound, sendOutbound } from '../http/outbound.ts'
import { startPolling } from '../jobs/job.ts'
import { DELIVERY_LIMITS } from '../limits/shares.ts'
import {
  type Attempt,
  type AttemptResult,
  hasDue,
  isReceived,
  type LeasedDelivery,
  type Parties,
} from './attempts.ts'
import { hasBehind, hasNewEvents, hasWebhooks } from './deliveries.ts'
import { signedHeaders } from './sign.ts'

// Sends deliveries. Every process does this, but only one process at a time leases a delivery.

/** How often a process checks for new commits. The check is cheap. */
const POLL_MS = 25
/** How often a process checks for deliveries that have become due. */
const DUE_MS = 1_000
const ATTEMPT_TIMEOUT_MS = 15_000
/** The number of possible values of the jitter. */
const JITTER_STEPS = 1_000
/** A response is read up to this size and for this time after its headers, which decide the result. */
const MAX_RESPONSE_BYTES = 65_536
const MAX_BODY_MS = 2_000
/** The number of characters of a response that are stored. */
const MAX_STORED_LENGTH = 1_000

export interface Dispatcher {
  /** Stops sending. Interrupted deliveries are due again immediately. */
  stop(): Promise<void>
}

type Options = Pick<Context, 'config' | 'db' | 'write' | 'version' | 'clock' | 'metrics'> & {
  logger: Logger
  /** Called after an attempt has disabled a webhook. */
  onDisabled(webhookId: number): Promise<void>
}

export function startDispatcher(options: Options): Dispatcher {
  const { db, write, version, clock, metrics } = options
  const stopped = new AbortController()
  /** The parties of the deliveries that are being sent, by the attempt. */
  const underWay = new Map<Promise<void>, Parties>()
  const unsent: Attempt[] = []
  let lastVersion: number | undefined
  let lastPollAt = Number.NEGATIVE_INFINITY
  let hasMore = false
  let isRefilling = false

  const stopPolling = startPolling(poll, POLL_MS)

  async function poll(): Promise<void> {
    const current = version('commits')
    const isTime = performance.now() - lastPollAt >= DUE_MS
    if (current === lastVersion && !isTime && !hasMore) return
    lastVersion = current
    lastPollAt = performance.now()
    hasMore = false
    if (!(await hasWebhooks(db))) return
    if (await hasNewEvents(db)) hasMore = await write(changes.queueDeliveries, clock())
    if (isRefilling || (isTime && (await hasBehind(db)))) await refill()
    if (underWay.size < DELIVERY_LIMITS.max && (await hasDue(db, clock()))) await lease()
  }

  async function refill(): Promise<void> {
    const { hasMore: mayFollow, disabledIds } = await write(changes.refillDeliveries, clock())
    isRefilling = mayFollow
    hasMore ||= mayFollow
    for (const id of disabledIds)
      reportDisabled(options, id, 'its next events were removed because of their age').catch(() => undefined)
  }

  async function lease(): Promise<void> {
    const leased = await write(changes.leaseDeliveries, {
      now: clock(),
      sending: [...underWay.values()],
      ...DELIVERY_LIMITS,
    })
    for (const delivery of leased) {
      // If the result cannot be stored, the lease expires, and the delivery is sent again.
      const sent: Promise<void> = attempt(delivery)
        .catch(() => undefined)
        .finally(() => underWay.delete(sent))
      underWay.set(sent, delivery.parties)
    }
    hasMore ||= leased.length > 0
  }

  async function attempt(delivery: LeasedDelivery): Promise<void> {
    const { id, webhookId, attempts } = delivery
    const result = await send(delivery, { ...options, stopped: stopped.signal })
    if (stopped.signal.aborted && result.status === undefined) {
      unsent.push({ id, attempts })
      return
    }
    metrics?.countDelivery(isReceived(result.status))
    const random = randomInt(JITTER_STEPS + 1) / JITTER_STEPS
    const isDisabled = await write(
      changes.endAttempt,
      { id, webhookId, attempts },
      { ...result, random },
      clock(),
    )
    hasMore = true
    if (isDisabled) await reportDisabled(options, webhookId, 'its endpoint fails')
  }

  return {
    async stop() {
      stopped.abort()
      await stopPolling()
      await Promise.all(underWay.keys())
      // If the store is lost, the leases expire.
      if (unsent.length > 0) await write(changes.releaseDeliveries, unsent).catch(() => undefined)
    },
  }
}

async function reportDisabled({ logger, onDisabled }: Options, webhookId: number, reason: string) {
  logger.warn({ webhookId }, `a webhook was disabled because ${reason}`)
  await onDisabled(webhookId)
}

async function send(
  delivery: LeasedDelivery,
  { config, clock, stopped }: Pick<Context, 'config' | 'clock'> & { stopped: AbortSignal },
): Promise<Omit<AttemptResult, 'random'>> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)])
  const body = JSON.stringify(delivery.payload)
  const timestamp = Math.floor(clock() / 1_000)
  const headers = {
    ...signedHeaders(delivery.secrets, { id: delivery.messageId, timestamp, body }),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'adoptable',
  }
  try {
    const networks = config.webhookAllowNetworks
    const url = parseOutbound(delivery.url, networks)
    const options = { method: 'POST', headers, signal, timeoutMs: ATTEMPT_TIMEOUT_MS, body }
    return await readResult(await sendOutbound(url, networks, options), clock())
  } catch (error) {
    return {
      body: signal.aborted ? TIMED_OUT : storable(reasonOf(error as NodeJS.ErrnoException)),
      isGone: false,
    }
  }
}

const TIMED_OUT = 'The server did not answer in time.'
const NOT_PUBLIC = 'The name of the address is unknown, or its address is not public.'

/** Hides whether a name exists, because the service may know names that are known only in its network. */
const reasonOf = (error: NodeJS.ErrnoException): string =>
  error instanceof ClosedAddressError || isLookupError(error) ? NOT_PUBLIC : error.message

async function readResult(response: IncomingMessage, now: number): Promise<Omit<AttemptResult, 'random'>> {
  const { statusCode: status, headers } = response
  return {
    status,
    body: storable(await readBody(response)),
    retryAfterMs: retryAfterOf(headers['retry-after'], now),
    isGone: status === 410 || headers['webhook-delivery'] === 'disable',
  }
}

/** Reads the beginning of a response. */
async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => response.destroy(), MAX_BODY_MS)
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      bytes += chunk.length
      // Leaving the loop closes the connection.
      if (bytes > MAX_RESPONSE_BYTES) break
    }
  } catch {
    // The part that has arrived is enough.
  }
  clearTimeout(timer)
  return Buffer.concat(chunks).toString()
}

/** PostgreSQL rejects NUL and unpaired surrogates. */
const storable = (text: string): string =>
  text.slice(0, MAX_STORED_LENGTH).replaceAll('\0', '').toWellFormed()

/** Reads Retry-After in seconds or as a date (RFC 9110, section 10.2.3). */
function retryAfterOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
