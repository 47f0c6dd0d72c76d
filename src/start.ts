import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import pino, { type DestinationStream, type Logger } from 'pino'
import { changes } from './changes.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { type Database, openDatabase } from './db/database.ts'
import { cursorSecret } from './db/secrets.ts'
import type { App } from './http/app.ts'
import { drain } from './http/drain.ts'
import { carryOutOnce } from './http/idempotency.ts'
import { pageCache } from './http/page-cache.ts'
import { generateKey, hashKey } from './keys/key-format.ts'
import * as keys from './keys/store.ts'
import type { Limiter } from './limits/limiter.ts'
import { machineClock } from './limits/machine-clock.ts'
import { memoryLimiter } from './limits/memory.ts'
import { flushed, standardError } from './log.ts'
import { countVerdicts } from './metrics/count-verdicts.ts'
import type { Metrics } from './metrics/metrics.ts'
import { openTracing } from './metrics/tracing.ts'
import { buildServer } from './server.ts'
import { sweepRegularly } from './sweep.ts'

export interface Service {
  context: Context
  app: App
  /** Address on this machine, such as http://127.0.0.1:8080. */
  address: string
  /** The key that the first start on an empty store made; it is nowhere else. */
  firstKey: string | undefined
  /** Where Prometheus reads, if it may. */
  metricsAddress: string | undefined
  /** Answers what was begun, keeps the counters and gives everything free. */
  stop(): Promise<void>
}

interface Options {
  clock?: () => number
  log?: DestinationStream
  /** Which of the processes on this address it is, where there are several. */
  worker?: string
  /** Ends a start that waits for its database. */
  signal?: AbortSignal
}

/** The part of a stop's time that clients may use up; the rest is for the counters and the store. */
const DRAIN_SHARE = 0.8

/** What ready pages may take up. */
const PAGE_CACHE_BYTES = 16 * 1_048_576

/** Enough to tell installations apart. */
const NAMESPACE_LENGTH = 12

/** config → store, limiter → server; `stop` ends them in reverse order. */
export async function start(config: Config, options: Options = {}): Promise<Service> {
  const { clock = Date.now, log } = options
  const opened = new AsyncDisposableStack()
  try {
    const logger = pino({ level: config.logLevel, base: null }, log ?? standardError())
    opened.defer(() => flushed(logger))
    const tracing = await openTracing()
    const stored = await openDatabase(config.databaseUrl, {
      connections: config.databaseConnections,
      shared: config.redisUrl !== undefined,
      signal: options.signal,
      onWait: (err) => logger.warn({ err }, 'the database is not there: the start waits for it'),
      changes,
      thread: writerThread(),
    })
    opened.defer(() => stored.close())
    const database = tracing?.store(stored) ?? stored
    const metrics = await measure(config, database)
    const { db, write, ready, version } = database
    const secret = await cursorSecret(db)
    const uncounted = config.redisUrl
      ? await sharedLimiter(config.redisUrl, config, secret, options, logger, metrics)
      : await memoryLimiter({
          db,
          write,
          ...(options.clock ? { clock } : machineClock({ timeOfDay: Date.now })),
          ban: config.ban,
        })
    opened.defer(() => uncounted.close())
    const limiter = metrics ? countVerdicts(uncounted, metrics) : uncounted

    const context: Context = {
      config,
      db,
      write,
      ready: () => Promise.all([ready(), limiter.ready()]).then(() => undefined),
      carryOut: carryOutOnce(database, clock),
      version,
      pages: pageCache(() => version('pages'), PAGE_CACHE_BYTES),
      limiter,
      metrics,
      tracing,
      clock,
      cursorSecret: secret,
    }
    opened.defer(sweepRegularly(context, logger))
    const app = await buildServer(context, logger)
    opened.defer(() => app.close())
    opened.defer(() => drain(app, config.stopTimeoutSeconds * 1_000 * DRAIN_SHARE))
    const address = await app.listen({ host: config.host, port: config.port })
    const scraped = await metrics?.listen(config, options.worker)
    opened.defer(() => scraped?.close())
    const firstKey = await makeFirstKey(write, config, clock())
    return {
      context,
      app,
      address,
      metricsAddress: scraped?.address,
      firstKey,
      stop: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** What it takes is loaded by those alone who ask for it. */
async function measure(config: Config, database: Database): Promise<Metrics | undefined> {
  if (config.metricsPort === undefined) return undefined
  return (await import('./metrics/metrics.ts')).openMetrics(config, database)
}

/** Counters shared with every other process of this installation, which its secret tells from others. */
async function sharedLimiter(
  connection: string,
  { ban, host, port }: Config,
  secret: string,
  { clock, worker = '' }: Options,
  logger: Logger,
  metrics: Metrics | undefined,
): Promise<Limiter> {
  const { redisLimiter } = await import('./limits/redis.ts')
  return redisLimiter({
    connection,
    clock: clock ?? steadyNow,
    // A clock that a test holds is the store's clock too.
    ...(clock && { storeClock: clock }),
    ban,
    namespace: hash('sha256', secret).slice(0, NAMESPACE_LENGTH),
    // A port that is chosen anew at each start says nothing about who was there before.
    place: port === 0 ? '' : `${hostname()} ${host}:${port} ${worker}`,
    onChange(lost) {
      metrics?.linked(lost === undefined)
      if (lost)
        logger.warn({ err: lost }, 'the shared counters are lost: serving from a share of what was left')
      else logger.info('the shared counters are there')
    },
  })
}

/** Unix time in milliseconds as of the start of the process; nobody who sets the machine's clock changes it. */
function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}

/** Beside this module, as source or as it was built. */
function writerThread(): URL {
  return new URL(
    import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js',
    import.meta.url,
  )
}

async function makeFirstKey(
  write: Context['write'],
  config: Config,
  now: number,
): Promise<string | undefined> {
  const key = generateKey(config.environment)
  const first = { name: 'first', plan: 'business', access: 'admin' } as const
  return (await write(keys.insertFirstKey, first, hashKey(key), now)) ? key : undefined
}
