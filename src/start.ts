import { uptime } from 'node:os'
import pino, { type DestinationStream } from 'pino'
import { changes } from './changes.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { createOutageReporter, type Database, type OutageReporter } from './db/database.ts'
import { openDatabase } from './db/open-database.ts'
import { getCursorSecret } from './db/secrets.ts'
import { type StartWriter, writerThread } from './db/writer.ts'
import { startFollower } from './follow/follow.ts'
import type { App } from './http/app.ts'
import { drain } from './http/drain.ts'
import type { Face } from './http/face.ts'
import { createRequestWrite } from './http/idempotency.ts'
import { createPageCache } from './http/page-cache.ts'
import { newToken } from './http/token.ts'
import type { Jobs } from './jobs/job.ts'
import { createRounds } from './jobs/runner.ts'
import { jobs } from './jobs.ts'
import { generateKey, hashKey } from './keys/key-format.ts'
import { hasAdminKey } from './keys/store.ts'
import { openShares } from './limits/shares.ts'
import { flushLog, standardError } from './log.ts'
import { openMail } from './mail/mail.ts'
import { countVerdicts } from './metrics/count.ts'
import type { Metrics } from './metrics/metrics.ts'
import { openTracing } from './metrics/tracing.ts'
import { identifyStore, openLimiter, sweepRegularly } from './open-limiter.ts'
import { trackKnownTime } from './orders/known-time.ts'
import type { Renderer } from './photos/renderer/render.ts'
import { startWorkFolderSweep } from './photos/storage/folder.ts'
import { openPhotos } from './photos/storage/open.ts'
import { buildServer } from './server.ts'
import { entryOf } from './source-names.ts'
import { joinLink, originOf } from './staff/join.ts'
import { hashPassword } from './staff/passwords.ts'
import { listAdminEmails } from './staff/store.ts'
import { createDisabledNotifier } from './webhooks/notice.ts'
import { startDispatcher } from './webhooks/send.ts'

export interface Service {
  context: Context
  app: App
  /** Address on this machine, such as http://127.0.0.1:8080. */
  address: string
  /** The key made by the first start on an empty store. The store has only its hash, so show the key now. */
  firstKey: string | undefined
  /** The link with which the first account is created; present if `firstKey` is. */
  firstLink: string | undefined
  /** The address of /metrics, if metrics are on. */
  metricsAddress: string | undefined
  /** Finishes the requests under way, stores the counters and releases all resources. */
  stop(): Promise<void>
}

interface Options {
  clock?: () => number
  /** Milliseconds; setting the machine's clock has no effect. By default `clock`, or else the uptime. */
  steady?: () => number
  log?: DestinationStream
  /** The jobs that this process runs regularly; all by default. */
  jobs?: Jobs
  /** How often followed installations are read; every 2 seconds by default. */
  followMs?: number
  /** The number of this process among several on the same address. */
  worker?: string
  /** Starts the writer of SQLite; a thread by default. */
  startWriter?: StartWriter
  /** Makes the files of photos; a separate process by default. */
  renderer?: Renderer
  /** Makes the hashes of passwords. A hash is slow by default, so a stolen hash cannot be guessed. */
  hashPassword?: Context['hashPassword']
  /** Aborts a start that is waiting for its database. */
  signal?: AbortSignal
  /** Additional faces, for tests. */
  faces?: (context: Context) => Face[]
}

/** The part of the shutdown time that clients get. The rest is for the counters and the store. */
const DRAIN_SHARE = 0.8

const PAGE_CACHE_BYTES = 16 * 1_048_576

/** Opens the store, the limiter and the server; `stop` closes them in reverse order. */
export async function start(config: Config, options: Options = {}): Promise<Service> {
  const { clock = Date.now, steady = options.clock ?? uptimeMs, log } = options
  const opened = new AsyncDisposableStack()
  try {
    const logger = pino({ level: config.logLevel, base: null }, log ?? standardError())
    opened.defer(() => flushLog(logger))
    const loss = createOutageReporter(logger)
    const tracing = await openTracing()
    const plainDatabase = await openStore(config, loss, options)
    opened.defer(() => plainDatabase.close())
    const database = tracing?.store(plainDatabase) ?? plainDatabase
    const metrics = await loadMetrics(config, database, clock)
    const { db, write, ready, version, scrub } = database
    const secret = await getCursorSecret(db)
    const { id } = await identifyStore(database, config, logger)
    const plainLimiter = await openLimiter(config, database, id, options.clock, { logger, metrics })
    opened.defer(() => plainLimiter.close())
    const limiter = metrics ? countVerdicts(plainLimiter, metrics) : plainLimiter

    const photos = await openPhotos(config, options.renderer)
    opened.defer(() => photos.close())
    opened.defer(await startWorkFolderSweep(photos.store, loss))
    const context: Context = {
      config,
      db,
      write,
      ready: () => Promise.all([ready(), limiter.ready()]).then(() => undefined),
      writeOnce: createRequestWrite(database, clock),
      scrub,
      version,
      pages: createPageCache(() => version('pages'), PAGE_CACHE_BYTES),
      limiter,
      shares: openShares(),
      photos,
      mail: openMail(config, (reason) => logger.warn({ reason: reason.message }, 'an e-mail was not sent')),
      metrics,
      tracing,
      knownTime: trackKnownTime(write, { clock, steady }, logger),
      hashPassword: options.hashPassword ?? ((password) => hashPassword(password)),
      clock,
      steady,
      cursorSecret: secret,
    }
    const rounds = createRounds(context, options.jobs ?? jobs, { logger, loss, steady })
    opened.defer(rounds.stop)
    const app = await buildServer(context, logger, options.faces)
    opened.defer(() => app.close())
    opened.defer(() => drain(app, config.stopTimeoutSeconds * 1_000 * DRAIN_SHARE))
    const address = await app.listen({ host: config.host, port: config.port })
    const metricsServer = await metrics?.listen(config, options.worker)
    opened.defer(() => metricsServer?.close())
    const firstKey = (await hasAdminKey(db)) ? undefined : await createFirstKey(write, config, clock())
    // Without a first key, the start makes no link, which would give as much access as an admin key.
    const firstLink = firstKey && (await createFirstLink(write, originOf(config, address), clock()))
    const dispatcher = startDispatcher({
      ...context,
      logger,
      onDisabled: createDisabledNotifier(context, listAdminEmails),
    })
    opened.defer(dispatcher.stop)
    opened.defer(startFollower({ ...context, logger, everyMs: options.followMs }).stop)
    // Jobs start last. Otherwise a long job could hold the connection that the first key needs, and the start
    // would fail. If the start writes nothing, it does not wait for the writer thread.
    opened.defer(sweepRegularly(plainLimiter, loss))
    rounds.begin()
    return {
      context,
      app,
      address,
      metricsAddress: metricsServer?.address,
      firstKey,
      firstLink,
      stop: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

function openStore(
  config: Config,
  { reportLoss, reportRecovery }: OutageReporter,
  { signal, startWriter }: Options,
): Promise<Database> {
  return openDatabase(config.databaseUrl, {
    connections: config.databaseConnections,
    shared: config.redisUrl !== undefined,
    signal,
    onWait: (reason) => reportLoss(reason, 'the database cannot be reached: the start waits for it'),
    onLoss: (reason) =>
      reason
        ? reportLoss(new Error(reason), 'the file of the store is lost: all requests get 503')
        : reportRecovery(),
    onLost: (reason) => reportLoss(reason, 'the database cannot be reached: requests that need it get 503'),
    onBack: reportRecovery,
    changes,
    startWriter: startWriter ?? writerThread(entryOf('writer-thread', import.meta.url)),
  })
}

/** Loads the metrics code only if metrics are on. */
async function loadMetrics(
  config: Config,
  database: Database,
  clock: () => number,
): Promise<Metrics | undefined> {
  if (config.metricsPort === undefined) return undefined
  return (await import('./metrics/metrics.ts')).openMetrics(config, database, clock)
}

/** Milliseconds since boot, including the time the machine was asleep. */
function uptimeMs(): number {
  return uptime() * 1_000
}

async function createFirstKey(
  write: Context['write'],
  config: Config,
  now: number,
): Promise<string | undefined> {
  const key = generateKey(config.environment)
  const first = { name: 'first', plan: 'business', access: 'admin' } as const
  return (await write(changes.insertFirstKey, first, hashKey(key), now)) ? key : undefined
}

async function createFirstLink(
  write: Context['write'],
  origin: string,
  now: number,
): Promise<string | undefined> {
  const { token, hash } = newToken()
  return (await write(changes.insertFirstLink, hash, now)) ? joinLink(origin, token) : undefined
}
