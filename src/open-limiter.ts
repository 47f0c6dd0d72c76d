import { uptime } from 'node:os'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { changes } from './db/change.ts'
import type { Database, OutageReporter } from './db/database.ts'
import { findInstallation, type Installation } from './db/installation.ts'
import { counterStoreOf, refuseOtherCounterStore } from './limits/counter-store.ts'
import type { Limiter } from './limits/limiter.ts'
import { openMemoryLimiter } from './limits/memory.ts'
import type { Metrics } from './metrics/metrics.ts'

/** Reads the id of this store, or creates it. @throws if the settings name another Redis than the store */
export async function identifyStore(
  { db, write, home }: Database,
  { redisUrl, databaseUrl, smtpUrl }: Config,
  logger: Logger,
): Promise<Installation> {
  const configured = redisUrl ? counterStoreOf(redisUrl, databaseUrl) : null
  const state = { home, counterStore: configured, sendsEmail: smtpUrl !== undefined }
  const installation =
    (await findInstallation(db, state)) ?? (await write(changes.identifyInstallation, state))
  if (installation.isCopy)
    logger.info('this store is a copy of another one: it counts on its own from now on')
  refuseOtherCounterStore(installation.counterStore, configured)
  return installation
}

/**
 * Counts requests in Redis if REDIS_URL is set, or else in this process, and saves the counters in the store.
 * @param clock the clock of a test; undefined for the clock of the machine
 */
export async function openLimiter(
  { redisUrl, ban }: Config,
  { db, write, claim }: Database,
  installation: string,
  clock: (() => number) | undefined,
  { logger, metrics }: { logger: Logger; metrics: Metrics | undefined },
): Promise<Limiter> {
  if (redisUrl === undefined) {
    const ticking = clock ? { clock } : createMachineClock({ timeOfDay: Date.now })
    return openMemoryLimiter({ db, write, ...ticking, ban, claim })
  }
  const { openRedisLimiter } = await import('./limits/redis/limiter.ts')
  return openRedisLimiter({
    server: redisUrl,
    clock: clock ?? steadyNow,
    // The clock of a test also replaces the clock of Redis.
    ...(clock && { storeClock: clock }),
    ban,
    namespace: installation,
    onChange(lost) {
      metrics?.setRedisUp(lost === undefined)
      if (lost)
        logger.warn(
          { err: lost },
          'the shared counters are lost: this process serves its share of the remaining limits',
        )
      else logger.info('the shared counters are available')
    },
  })
}

const SWEEP_MS = 60_000

/**
 * Calls the limiter's `sweep` regularly. A background job would run in one process only, but each process
 * must forget its own callers and write its own counters.
 * @returns a function that stops the sweeps
 */
export function sweepRegularly(limiter: Limiter, loss: OutageReporter): () => void {
  const sweep = (): void => {
    limiter
      .sweep()
      .catch((error: unknown) =>
        loss.reportLoss(error, 'expired counters were not removed because the store is unavailable'),
      )
  }
  sweep()
  const interval = setInterval(sweep, SWEEP_MS)
  return () => clearInterval(interval)
}

/** Unix time in milliseconds. The machine's clock is read once, so later changes of it have no effect. */
function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}

/** Ignores smaller differences, which come from the resolution of the clocks. */
const MIN_CHANGE_MS = 500
/** If two clock readings are further apart, something interrupted the process: they are not comparable. */
const MAX_READING_MS = 5

interface MachineClock {
  /** Unix time in whole milliseconds. The next `applyClockChange` adopts changes of the system clock. */
  clock(): number
  /** Adopts changes of the clock since the last call. @returns milliseconds of change; nearly always 0 */
  applyClockChange(): number
}

/** The clocks of a machine, each in milliseconds. */
interface Clocks {
  /** Unix time. An operator or NTP may set this clock. */
  timeOfDay: () => number
  /** Cannot be set. Stops while the machine sleeps. */
  steady?: () => number
  /** Time since boot. Continues while the machine sleeps. */
  sinceStart?: () => number
}

/** Combines the machine's clock, which can be set, with two clocks that cannot be set. See decision 13. */
export function createMachineClock({
  timeOfDay,
  steady = () => performance.now(),
  sinceStart = () => uptime() * 1_000,
}: Clocks): MachineClock {
  let ahead = timeOfDay() - steady()
  let slept = sinceStart() - steady()
  return {
    clock: () => Math.floor(steady() + ahead),
    applyClockChange() {
      const before = steady()
      const change = timeOfDay() - before - ahead
      if (Math.abs(change) < MIN_CHANGE_MS || steady() - before > MAX_READING_MS) return 0
      ahead += change
      // While the machine slept, time passed although the steady clock stood still.
      const asleep = sinceStart() - steady() - slept
      slept += asleep
      const setMs = change - asleep
      return Math.abs(setMs) < MIN_CHANGE_MS ? 0 : Math.round(setMs)
    },
  }
}
