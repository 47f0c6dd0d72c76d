import { randomUUID } from 'node:crypto'
import type { RedisOptions } from 'ioredis'
import type { BanRule } from '../../config.ts'
import { rememberAccounts } from '../accounts.ts'
import type { Account, Limiter, Ruling } from '../limiter.ts'
import { type connectTo, openConnection } from './connection.ts'
import { decide, reconcile, release, report } from './decide.ts'
import { startHeartbeat } from './heartbeat.ts'
import { certainRefusal, isOver, type LocalState, latest, unknown } from './lease.ts'
import { joinMembership, type Membership } from './membership.ts'
import { channelOf, readRecall, type Store } from './messages.ts'
import { serveOffline, startOver, unserved } from './offline.ts'

/** How long the start waits for the store, a request while this process comes back, and the stop. */
const START_MS = 2_000
const RETURN_MS = 100
const STOP_MS = 500
/** Reports under way at once. */
const BATCH = 500

interface Options {
  /** redis:// or rediss:// and a host, or the options of ioredis. */
  server: string | RedisOptions
  /** Should be steady: it times what is remembered here. The windows go by the clock of the store. */
  clock: () => number
  ban: BanRule
  /** Tells installations that share a server from each other. */
  namespace?: string
  /** Hears why the store was lost, and `undefined` when it is back. No message holds a password. */
  onChange?: (lost: Error | undefined) => void
  /** Of tests only: what stands in for the clock of the store, for the client of Redis, and for chance. */
  storeClock?: () => number
  connect?: typeof connectTo
  newId?: () => string
}

/**
 * A limiter for several processes that share their counters in Redis or Valkey: exact while that answers;
 * while it does not, each process serves from its leases, and all together never more than the limit.
 * README.md beside this file explains how.
 *
 * What is given up for that, each time on the side of fewer requests:
 *
 * - A caller that this process has not met in the current day is not served without Redis.
 * - A process that was killed may be alive, for all that anybody knows: it keeps its leases of each caller,
 *   and a part of each minute, for 15 min.
 * - When Redis loses its memory while a process is away, all serve from leases until it is back, or as long.
 * - Requests refused without Redis do not count towards a ban.
 *
 * And what it cannot see: requests of a process that ended shortly before Redis lost its memory, of which no
 * other process has heard; and for up to 250 ms, when a running Redis is emptied by hand, what was used by
 * callers that are new to the process they ask.
 */
export async function redisLimiter(options: Options): Promise<Limiter> {
  const { clock, storeClock, namespace = '', onChange = () => {} } = options
  const [{ memorySeconds }, callers] = [options.ban, rememberAccounts(unknown)]
  const prefix = namespace ? `adoptable:${namespace}` : 'adoptable'
  const heartbeat = startHeartbeat({
    clock,
    prefix,
    newId: options.newId ?? randomId,
    connection: () => connection,
  })
  const started = Promise.withResolvers<void>()
  let closed = false
  const membership = joinMembership({
    heartbeat,
    connection: () => connection,
    reportAll: (epoch) =>
      inBatches(callers.all().filter(wasAnswered), (local) => report(store, local, epoch)),
    reconcileAll: () => inBatches(callers.all().filter(isInDoubt), (local) => reconcile(store, local)),
    startOver: () => callers.all().forEach(startOver),
    onOnline() {
      started.resolve()
      onChange(undefined)
    },
  })
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
    look: membership.look,
  }
  await soon(started.promise, START_MS, () => onChange(connection.cause))
  return {
    take(caller) {
      const local = callers.get(caller.name)
      const refusal = certainRefusal(local, caller, clock())
      if (refusal || membership.mode !== 'offline') return refusal ?? take(store, membership, local, caller)
      return serveOffline(local, caller, clock(), heartbeat.offlineTerms())
    },
    ready: membership.ready,
    sweep: async () => void callers.forget((local) => isOver(local, clock(), memorySeconds)),
    async close() {
      closed = true
      await soon(membership.leave(), STOP_MS)
      connection.close()
    },
  }
}

/** While Redis may answer, or has only just gone. */
async function take(
  store: Store,
  membership: Membership,
  local: LocalState,
  caller: Account,
): Promise<Ruling> {
  const { connection, clock, heartbeat } = store
  const began = performance.now()
  if (membership.mode === 'rejoining') await soon(membership.changed(), RETURN_MS)
  let lost: unknown = connection.cause
  if (membership.mode === 'online') {
    local.asking += 1
    try {
      return await decide(store, local, caller, began)
    } catch (error) {
      local.inDoubt = true
      lost = error
    } finally {
      local.asking -= 1
    }
  }
  // A lease is only for the time without Redis: with it, Redis charges more than the lease.
  return membership.mode === 'offline'
    ? serveOffline(local, caller, clock(), heartbeat.offlineTerms())
    : unserved(local, caller.limits, latest(local, clock()), lost)
}

function randomId(): string {
  return randomUUID().slice(0, 13)
}

/** Releases what is leased to this process, if another one asks for it. */
function answerRecall(store: Store, find: (name: string) => LocalState | undefined, message: string): void {
  const { asker, window, name } = readRecall(message)
  const local = asker === store.heartbeat.id ? undefined : find(name)
  if (local) release(store, local, window).catch(() => {})
}

function wasAnswered({ answeredAt }: LocalState): boolean {
  return answeredAt > 0
}

function isInDoubt({ inDoubt }: LocalState): boolean {
  return inDoubt
}

async function inBatches(local: LocalState[], tell: (local: LocalState) => Promise<void>): Promise<void> {
  for (let from = 0; from < local.length; from += BATCH) {
    await Promise.all(local.slice(from, from + BATCH).map(tell))
  }
}

/**
 * Waits for the promise, but no longer than that; whatever became of it is asked elsewhere.
 *
 * @param late is told when the time was over first
 */
async function soon(promise: Promise<unknown>, longestMs: number, late = () => {}): Promise<void> {
  const waited = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    late()
    waited.resolve()
  }, longestMs)
  await Promise.race([promise.catch(() => {}), waited.promise])
  clearTimeout(timer)
}
