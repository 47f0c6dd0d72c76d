import { randomUUID } from 'node:crypto'
import type { RedisOptions } from 'ioredis'
import type { BanRule } from '../config.ts'
import { rememberCallers } from './callers.ts'
import type { Caller, Limiter, Ruling } from './limiter.ts'
import { serveAlone, startOver, unserved } from './redis-alone.ts'
import { askStore, giveBack, report, settle } from './redis-ask.ts'
import { type connectTo, openLink } from './redis-link.ts'
import { joinMembers } from './redis-members.ts'
import { startPulse } from './redis-pulse.ts'
import { certainRefusal, isOver, type Known, latest, unknown } from './redis-share.ts'
import { channelOf, readRecall, type Store } from './redis-wire.ts'

/** How long the start waits for the store, a request while this process comes back, and the stop. */
const START_MS = 2_000
const RETURN_MS = 100
const STOP_MS = 500
/** Reports under way at once. */
const BATCH = 500

interface Options {
  /** redis:// or rediss:// and a host, or the options of ioredis. */
  connection: string | RedisOptions
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
 * while it does not, each process serves from what was promised to it, and all together never more than the
 * limit.
 *
 * What is given up for that, each time on the side of fewer requests:
 *
 * - A caller that this process has not met in the current day is not served without Redis.
 * - A process that was killed may be alive, for all that anybody knows: it holds its share of each caller,
 *   and a part of each minute, for 15 min.
 * - When Redis loses its memory while a process is away, all serve from shares until it is back, or as long.
 * - Requests refused without Redis do not count towards a ban.
 *
 * And what it cannot see: requests of a process that ended shortly before Redis lost its memory, of which no
 * other process has heard; and for up to 250 ms, when a running Redis is emptied by hand, what was used by
 * callers that are new to the process they ask.
 */
export async function redisLimiter(options: Options): Promise<Limiter> {
  const { clock, storeClock, namespace = '', onChange = () => {} } = options
  const [{ memorySeconds }, callers] = [options.ban, rememberCallers(unknown)]
  const prefix = namespace ? `adoptable:${namespace}` : 'adoptable'
  const pulse = startPulse({ clock, prefix, newId: options.newId ?? randomId, link: () => link })
  const started = Promise.withResolvers<void>()
  let closed = false
  const members = joinMembers({
    pulse,
    link: () => link,
    reportAll: (epoch) => inBatches(callers.all().filter(wasHeard), (known) => report(store, known, epoch)),
    settleAll: () => inBatches(callers.all().filter(isUnsettled), (known) => settle(store, known)),
    startOver: () => callers.all().forEach(startOver),
    onExact() {
      started.resolve()
      onChange(undefined)
    },
  })
  const link = openLink({
    ...options,
    channel: channelOf(prefix),
    onReady: members.comeBack,
    onLost() {
      if (!closed && members.standing !== 'alone') onChange(link.cause)
      members.lost()
    },
    onMessage(message) {
      if (members.standing === 'exact') answerRecall(store, callers.find, message)
    },
  })
  const store: Store = { link, prefix, pulse, clock, storeClock, memorySeconds, look: members.look }

  async function takeTogether(known: Known, caller: Caller): Promise<Ruling> {
    const began = performance.now()
    if (members.standing === 'returning') await soon(members.changed(), RETURN_MS)
    let lost: unknown = link.cause
    if (members.standing === 'exact') {
      known.asking += 1
      try {
        return await askStore(store, known, caller, began)
      } catch (error) {
        known.unsettled = true
        lost = error
      } finally {
        known.asking -= 1
      }
    }
    // A promise is only for the time without the store: with it, the store charges more than the promise.
    return members.standing === 'alone'
      ? serveAlone(known, caller, clock(), pulse.alone())
      : unserved(known, caller.limits, latest(known, clock()), lost)
  }
  await soon(started.promise, START_MS, () => onChange(link.cause))
  return {
    take(caller) {
      const known = callers.get(caller.name)
      const refusal = certainRefusal(known, caller, clock())
      if (refusal || members.standing !== 'alone') return refusal ?? takeTogether(known, caller)
      return serveAlone(known, caller, clock(), pulse.alone())
    },
    ready: members.ready,
    sweep: async () => void callers.forget((known) => isOver(known, clock(), memorySeconds)),
    async close() {
      closed = true
      await soon(members.leave(), STOP_MS)
      link.close()
    },
  }
}

function randomId(): string {
  return randomUUID().slice(0, 13)
}

/** Gives back what is promised to this process, if another one asks for it. */
function answerRecall(store: Store, find: (name: string) => Known | undefined, message: string): void {
  const { asker, window, name } = readRecall(message)
  const known = asker === store.pulse.id ? undefined : find(name)
  if (known) giveBack(store, known, window).catch(() => {})
}

function wasHeard({ heardAt }: Known): boolean {
  return heardAt > 0
}

function isUnsettled({ unsettled }: Known): boolean {
  return unsettled
}

async function inBatches(known: Known[], tell: (known: Known) => Promise<void>): Promise<void> {
  for (let from = 0; from < known.length; from += BATCH) {
    await Promise.all(known.slice(from, from + BATCH).map(tell))
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
