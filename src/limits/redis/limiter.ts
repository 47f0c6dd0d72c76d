import { randomUUID } from 'node:crypto'
import type { RedisOptions } from 'ioredis'
import type { BanRule } from '../../config.ts'
import { createAccounts } from '../accounts.ts'
import type { Account, Limiter, LimiterVerdict } from '../limiter.ts'
import { type connectTo, openConnection } from './connection.ts'
import { answerRecall, channelOf, decide, reconcile, report, type Store } from './decide.ts'
import { certainRefusal, isExpired, type LocalState, latestStoreTime, newLocalState } from './lease.ts'
import { joinMembership, type Membership } from './membership.ts'
import { serveOffline, startOver, unserved } from './offline.ts'

/** The longest waits: of the start for the store, of a request during a rejoin, and of a shutdown. */
const START_MS = 2_000
const RETURN_MS = 100
const STOP_MS = 500
/** The maximum number of concurrent reports. */
const MAX_REPORTS = 500

interface Options {
  /** A URL (redis:// or rediss://) with a host, or options of ioredis. */
  server: string | RedisOptions
  /** Should be monotonic, because it measures the age of the local state. Windows use the store's clock. */
  clock: () => number
  ban: BanRule
  /** Separates installations that share a server. */
  namespace?: string
  /** Called with the cause, without a password, when the store is lost; with `undefined` when it is back. */
  onChange?: (lost: Error | undefined) => void
  /** For tests: replacements for the store's clock, the Redis client and random ids. */
  storeClock?: () => number
  connect?: typeof connectTo
  newId?: () => string
}

/**
 * A limiter for several processes, which share their counters in Redis or Valkey. README.md in this folder
 * explains the method. docs/reliability.md lists the cases in which a caller gets more or fewer requests.
 */
export async function openRedisLimiter(options: Options): Promise<Limiter> {
  const { clock, storeClock, namespace = '', onChange = () => {} } = options
  const [{ memorySeconds }, callers] = [options.ban, createAccounts(newLocalState)]
  const prefix = namespace ? `adoptable:${namespace}` : 'adoptable'
  const started = Promise.withResolvers<void>()
  let closed = false
  const membership = joinMembership({
    clock,
    prefix,
    newId: options.newId ?? (() => randomUUID().slice(0, 13)),
    connection: () => connection,
    reportAll: (epoch) =>
      inBatches(
        callers.all().filter(({ answeredAt }) => answeredAt > 0),
        (local) => report(store, local, epoch),
      ),
    reconcileAll: () =>
      inBatches(
        callers.all().filter(({ inDoubt }) => inDoubt),
        (local) => reconcile(store, local),
      ),
    startOver: () => callers.all().forEach(startOver),
    onOnline() {
      started.resolve()
      onChange(undefined)
    },
  })
  const { heartbeat } = membership
  const connection = openConnection({
    ...options,
    channel: channelOf(prefix),
    onReady: membership.rejoin,
    onLost() {
      if (!closed && membership.mode !== 'offline') onChange(connection.cause)
      membership.lost()
    },
    onMessage(message) {
      if (membership.mode === 'online') answerRecall(store, callers.find, message)
    },
  })
  const store: Store = {
    connection,
    prefix,
    heartbeat,
    clock,
    storeClock,
    memorySeconds,
    refreshView: membership.refreshView,
  }
  await waitAtMost(started.promise, START_MS, () => onChange(connection.cause))
  return {
    take(caller) {
      const local = callers.get(caller.name)
      const refusal = certainRefusal(local, caller, clock())
      if (refusal || membership.mode !== 'offline') return refusal ?? take(store, membership, local, caller)
      return serveOffline(local, caller, clock(), heartbeat.offlineTerms())
    },
    ready: membership.ready,
    sweep: async () => void callers.forget((local) => isExpired(local, clock(), memorySeconds)),
    async close() {
      closed = true
      await waitAtMost(membership.leave(), STOP_MS)
      connection.close()
    },
  }
}

/** Decides about a request while Redis is reachable, or was reachable until a moment ago. */
async function take(
  store: Store,
  membership: Membership,
  local: LocalState,
  caller: Account,
): Promise<LimiterVerdict> {
  const { connection, clock, heartbeat } = store
  const began = performance.now()
  if (membership.mode === 'rejoining') await waitAtMost(membership.changed(), RETURN_MS)
  let cause: unknown = connection.cause
  if (membership.mode === 'online') {
    local.requests += 1
    try {
      return await decide(store, local, caller, began)
    } catch (error) {
      local.inDoubt = true
      cause = error
    } finally {
      local.requests -= 1
    }
  }
  // The lease is a limit only without Redis. While Redis answers, it may charge more than the lease.
  return membership.mode === 'offline'
    ? serveOffline(local, caller, clock(), heartbeat.offlineTerms())
    : unserved(local, caller.limits, latestStoreTime(local, clock()), cause)
}

async function inBatches(local: LocalState[], send: (local: LocalState) => Promise<void>): Promise<void> {
  for (let from = 0; from < local.length; from += MAX_REPORTS) {
    await Promise.all(local.slice(from, from + MAX_REPORTS).map(send))
  }
}

/** Waits at most `maxMs` for a promise. Ignores its result. @param onTimeout called if time runs out first */
async function waitAtMost(promise: Promise<unknown>, maxMs: number, onTimeout = () => {}): Promise<void> {
  const waited = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    onTimeout()
    waited.resolve()
  }, maxMs)
  await Promise.race([promise.catch(() => {}), waited.promise])
  clearTimeout(timer)
}
