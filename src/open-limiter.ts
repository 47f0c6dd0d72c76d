import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { changes } from './db/change.ts'
import type { Database, OutageReporter } from './db/database.ts'
import { findInstallation, type Installation } from './db/installation.ts'
import { counterStoreOf, refuseOtherCounterStore } from './limits/counter-store.ts'
import type { Limiter } from './limits/limiter.ts'
import { createMachineClock } from './limits/machine-clock.ts'
import { openMemoryLimiter } from './limits/memory.ts'
import type { Metrics } from './metrics/metrics.ts'

/**
 * Reads the id of this store. A new store gets its id here.
 *
 * @throws if the settings name another Redis than the store records
 */
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

interface Reporting {
  logger: Logger
  metrics: Metrics | undefined
}

/**
 * Counts requests in Redis if REDIS_URL is set. Otherwise counts them in this process, and saves the counters
 * in the store.
 *
 * @param clock the clock of a test; undefined for the clock of the machine
 */
export function openLimiter(
  config: Config,
  { db, write, claim }: Database,
  installation: string,
  clock: (() => number) | undefined,
  reporting: Reporting,
): Promise<Limiter> {
  if (config.redisUrl) return sharedLimiter(config.redisUrl, config, installation, clock, reporting)
  const ticking = clock ? { clock } : createMachineClock({ timeOfDay: Date.now })
  return openMemoryLimiter({ db, write, ...ticking, ban: config.ban, claim })
}

/** Counters shared by all processes of this installation. */
async function sharedLimiter(
  connection: string,
  { ban }: Config,
  namespace: string,
  clock: (() => number) | undefined,
  { logger, metrics }: Reporting,
): Promise<Limiter> {
  const { openRedisLimiter } = await import('./limits/redis/limiter.ts')
  return openRedisLimiter({
    server: connection,
    clock: clock ?? steadyNow,
    // The clock of a test also replaces the clock of Redis.
    ...(clock && { storeClock: clock }),
    ban,
    namespace,
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
 *
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

/**
 * Returns Unix time in milliseconds. Reads the machine's clock once, at process start, so later changes of
 * that clock have no effect.
 */
function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}
