import { uptime } from 'node:os'
import pino, { type DestinationStream } from 'pino'
import { changes } from './changes.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import type { Database } from './db/database.ts'
import { type Loss, tellLoss } from './db/loss.ts'
import { openDatabase } from './db/open-database.ts'
import { cursorSecret } from './db/secrets.ts'
import { type StartWriter, writerThread } from './db/writer.ts'
import { entryOf } from './entry.ts'
import type { App } from './http/app.ts'
import { drain } from './http/drain.ts'
import type { Face } from './http/face.ts'
import { requestWrites } from './http/idempotency.ts'
import { pageCache } from './http/page-cache.ts'
import { newToken } from './http/token.ts'
import { regularRounds } from './jobs/runner.ts'
import { jobs } from './jobs.ts'
import { generateKey, hashKey } from './keys/key-format.ts'
import { hasAdminKey } from './keys/store.ts'
import { flushed, standardError } from './log.ts'
import { openMail } from './mail/mail.ts'
import { countVerdicts } from './metrics/count.ts'
import type { Metrics } from './metrics/metrics.ts'
import { openTracing } from './metrics/tracing.ts'
import { identifyStore, openLimiter, sweepRegularly } from './open-limiter.ts'
import { knownTime } from './orders/known-time.ts'
import type { Renderer } from './photos/renderer/render.ts'
import { sweepWorkRegularly } from './photos/storage/folder.ts'
import { openPhotos } from './photos/storage/open.ts'
import { buildServer } from './server.ts'
import { linkOf, originOf } from './staff/join.ts'

export interface Service {
  context: Context
  app: App
  /** Address on this machine, such as http://127.0.0.1:8080. */
  address: string
  /** The key that the first start on an empty store made; it is nowhere else. */
  firstKey: string | undefined
  /** Beside it, the link that makes the first account of somebody. */
  firstLink: string | undefined
  /** Where Prometheus reads, if it may. */
  metricsAddress: string | undefined
  /** Answers what was begun, keeps the counters and gives everything free. */
  stop(): Promise<void>
}

interface Options {
  clock?: () => number
  /** Milliseconds that nobody can set; of a test that holds the clock and not this, the same. */
  steady?: () => number
  log?: DestinationStream
  /** Which of the processes on this address it is, where there are several. */
  worker?: string
  /** Starts the writer of the embedded database; a thread when absent. */
  startWriter?: StartWriter
  /** Makes the files of photos; a process of this service when absent. */
  renderer?: Renderer
  /** Ends a start that waits for its database. */
  signal?: AbortSignal
  /** Faces beside its own. */
  faces?: (context: Context) => Face[]
}

/** The part of a stop's time that clients may use up; the rest is for the counters and the store. */
const DRAIN_SHARE = 0.8

/** What cached pages may take up. */
const PAGE_CACHE_BYTES = 16 * 1_048_576

/** config → store, limiter → server; `stop` ends them in reverse order. */
export async function start(config: Config, options: Options = {}): Promise<Service> {
  const { clock = Date.now, steady = options.clock ?? sinceBoot, log } = options
  const opened = new AsyncDisposableStack()
  try {
    const logger = pino({ level: config.logLevel, base: null }, log ?? standardError())
    opened.defer(() => flushed(logger))
    const loss = tellLoss(logger)
    const tracing = await openTracing()
    const stored = await openStore(config, loss, options)
    opened.defer(() => stored.close())
    const database = tracing?.store(stored) ?? stored
    const metrics = await measure(config, database)
    const { db, write, ready, version, scrub } = database
    const secret = await cursorSecret(db)
    const { id } = await identifyStore(database, config, logger)
    const uncounted = await openLimiter(config, database, id, options.clock, { logger, metrics })
    opened.defer(() => uncounted.close())
    const limiter = metrics ? countVerdicts(uncounted, metrics) : uncounted

    const photos = await openPhotos(config, options.renderer)
    opened.defer(() => photos.close())
    opened.defer(await sweepWorkRegularly(photos.store, clock, loss))
    const context: Context = {
      config,
      db,
      write,
      ready: () => Promise.all([ready(), limiter.ready()]).then(() => undefined),
      writeOnce: requestWrites(database, clock),
      scrub,
      version,
      pages: pageCache(() => version('pages'), PAGE_CACHE_BYTES),
      limiter,
      photos,
      mail: openMail(config, (reason) => logger.warn({ reason: reason.message }, 'a letter was not sent')),
      metrics,
      tracing,
      knownTime: knownTime(write, { clock, steady }, logger),
      clock,
      cursorSecret: secret,
    }
    const rounds = regularRounds(context, jobs, { logger, loss, steady })
    opened.defer(rounds.stop)
    const app = await buildServer(context, logger, options.faces)
    opened.defer(() => app.close())
    opened.defer(() => drain(app, config.stopTimeoutSeconds * 1_000 * DRAIN_SHARE))
    const address = await app.listen({ host: config.host, port: config.port })
    const scraped = await metrics?.listen(config, options.worker)
    opened.defer(() => scraped?.close())
    const firstKey = (await hasAdminKey(db)) ? undefined : await makeFirstKey(write, config, clock())
    // Whoever made a key before has seen to it that none is printed: a link would open as much.
    const firstLink = firstKey && (await makeFirstLink(write, originOf(config, address), clock()))
    // Not before: a job that takes long would keep the first key from a connection, and a start ends then. A
    // start that has nothing to write does not wait for the writer thread.
    opened.defer(sweepRegularly(uncounted, loss))
    rounds.begin()
    return {
      context,
      app,
      address,
      metricsAddress: scraped?.address,
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
  { lost, back }: Loss,
  { signal, startWriter }: Options,
): Promise<Database> {
  return openDatabase(config.databaseUrl, {
    connections: config.databaseConnections,
    shared: config.redisUrl !== undefined,
    signal,
    onWait: (reason) => lost(reason, 'the database is not there: the start waits for it'),
    onLoss: (reason) => (reason ? lost(new Error(reason), 'nothing is served: the store is lost') : back()),
    onLost: (reason) => lost(reason, 'the database is lost: requests that need it get 503'),
    onBack: back,
    changes,
    startWriter: startWriter ?? writerThread(entryOf('writer-thread', import.meta.url)),
  })
}

/** What it takes is loaded by those alone who ask for it. */
async function measure(config: Config, database: Database): Promise<Metrics | undefined> {
  if (config.metricsPort === undefined) return undefined
  return (await import('./metrics/metrics.ts')).openMetrics(config, database)
}

/** It goes on while the machine sleeps, which is time that passes too. */
function sinceBoot(): number {
  return uptime() * 1_000
}

async function makeFirstKey(
  write: Context['write'],
  config: Config,
  now: number,
): Promise<string | undefined> {
  const key = generateKey(config.environment)
  const first = { name: 'first', plan: 'business', access: 'admin' } as const
  return (await write(changes.insertFirstKey, first, hashKey(key), now)) ? key : undefined
}

async function makeFirstLink(
  write: Context['write'],
  origin: string,
  now: number,
): Promise<string | undefined> {
  const { token, hash } = newToken()
  return (await write(changes.insertFirstLink, hash, now)) ? linkOf(origin, token) : undefined
}
