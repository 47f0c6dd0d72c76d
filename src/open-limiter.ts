import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { changes } from './db/change.ts'
import type { Database } from './db/database.ts'
import { findInstallation, type Installation } from './db/installation.ts'
import type { Loss } from './db/loss.ts'
import { counterStoreOf, refuseOtherCounterStore } from './limits/counter-store.ts'
import type { Limiter } from './limits/limiter.ts'
import { machineClock } from './limits/machine-clock.ts'
import { memoryLimiter } from './limits/memory.ts'
import type { Metrics } from './metrics/metrics.ts'

/** @throws when the counters of the store are elsewhere than the settings say */
export async function identifyStore(
  { db, write, home }: Database,
  { redisUrl, databaseUrl }: Config,
  logger: Logger,
): Promise<Installation> {
  const configured = redisUrl ? counterStoreOf(redisUrl, databaseUrl) : null
  const installation =
    (await findInstallation(db, home, configured)) ??
    (await write(changes.identifyInstallation, home, configured))
  if (installation.copied)
    logger.info('this store is a copy of another one: it counts on its own from now on')
  refuseOtherCounterStore(installation.counterStore, configured)
  return installation
}

interface Told {
  logger: Logger
  metrics: Metrics | undefined
}

/** Counts in Redis where there is one, else in this process and the store. A test may hold the clock. */
export function openLimiter(
  config: Config,
  { db, write, claim }: Database,
  installation: string,
  clock: (() => number) | undefined,
  told: Told,
): Promise<Limiter> {
  if (config.redisUrl) return sharedLimiter(config.redisUrl, config, installation, clock, told)
  const ticking = clock ? { clock } : machineClock({ timeOfDay: Date.now })
  return memoryLimiter({ db, write, ...ticking, ban: config.ban, claim })
}

/** Counters shared with every other process of this installation, which its id tells from others. */
async function sharedLimiter(
  connection: string,
  { ban }: Config,
  namespace: string,
  clock: (() => number) | undefined,
  { logger, metrics }: Told,
): Promise<Limiter> {
  const { redisLimiter } = await import('./limits/redis/limiter.ts')
  return redisLimiter({
    server: connection,
    clock: clock ?? steadyNow,
    // A clock that a test holds is the store's clock too.
    ...(clock && { storeClock: clock }),
    ban,
    namespace,
    onChange(lost) {
      metrics?.linked(lost === undefined)
      if (lost)
        logger.warn({ err: lost }, 'the shared counters are lost: serving from a share of what was left')
      else logger.info('the shared counters are there')
    },
  })
}

const SWEEP_MS = 60_000

/**
 * Not a job: each process has callers of its own to forget, and alone writes the counters that it keeps.
 *
 * @returns a function that ends it
 */
export function sweepRegularly(limiter: Limiter, loss: Loss): () => void {
  const sweep = (): void => {
    limiter
      .sweep()
      .catch((error: unknown) => loss.lost(error, 'expired counters stay: the store cannot do it now'))
  }
  sweep()
  const interval = setInterval(sweep, SWEEP_MS)
  return () => clearInterval(interval)
}

/** Unix time in milliseconds as of the start of the process; nobody who sets the machine's clock changes it. */
function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}
