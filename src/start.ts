import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import pino, { type DestinationStream, type Logger } from 'pino'
import { changes } from './changes.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { openDatabase } from './db/database.ts'
import { cursorSecret } from './db/secrets.ts'
import type { App } from './http/app.ts'
import { drain } from './http/drain.ts'
import { carryOutOnce } from './http/idempotency.ts'
import { generateKey, hashKey } from './keys/key-format.ts'
import * as keys from './keys/store.ts'
import type { Limiter } from './limits/limiter.ts'
import { memoryLimiter } from './limits/memory.ts'
import { buildServer } from './server.ts'
import { sweepRegularly } from './sweep.ts'

export interface Service {
  context: Context
  app: App
  /** Address on this machine, such as http://127.0.0.1:8080. */
  address: string
  /** The key that the first start on an empty store made; it is nowhere else. */
  firstKey: string | undefined
  /** Answers what was begun, keeps the counters and gives everything free. */
  stop(): Promise<void>
}

interface Options {
  clock?: () => number
  log?: DestinationStream
  /** Which of the processes on this address it is, where there are several. */
  worker?: string
}

/** The part of a stop's time that clients may use up; the rest is for the counters and the store. */
const DRAIN_SHARE = 0.8

/** Enough to tell installations apart. */
const NAMESPACE_LENGTH = 12

/** config → store, limiter → server; `stop` ends them in reverse order. */
export async function start(config: Config, options: Options = {}): Promise<Service> {
  const { clock = Date.now, log } = options
  const opened = new AsyncDisposableStack()
  try {
    const logger = pino({ level: config.logLevel, base: null }, log ?? bufferedLog())
    const database = await openDatabase(config.databaseUrl, {
      connections: config.databaseConnections,
      shared: config.redisUrl !== undefined,
      changes,
      thread: writerThread(),
    })
    opened.defer(() => database.close())
    const { db, write, version } = database
    const secret = await cursorSecret(db)
    const limiter = config.redisUrl
      ? await sharedLimiter(config.redisUrl, config, secret, options, logger)
      : await memoryLimiter({ db, write, clock, ban: config.ban })
    opened.defer(() => limiter.close())

    const context: Context = {
      config,
      db,
      write,
      carryOut: carryOutOnce(database, clock),
      version,
      limiter,
      clock,
      cursorSecret: secret,
    }
    opened.defer(sweepRegularly(context, logger))
    const app = await buildServer(context, logger)
    opened.defer(() => app.close())
    opened.defer(() => drain(app, config.stopTimeoutSeconds * 1_000 * DRAIN_SHARE))
    const address = await app.listen({ host: config.host, port: config.port })
    const firstKey = await makeFirstKey(write, config, clock())
    return { context, app, address, firstKey, stop: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** Counters shared with every other process of this installation, which its secret tells from others. */
async function sharedLimiter(
  connection: string,
  { ban, host, port }: Config,
  secret: string,
  { clock, worker = '' }: Options,
  logger: Logger,
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

/** JSON lines on stderr, written a few at a time and at least every second. */
function bufferedLog(): DestinationStream {
  return pino.destination({ dest: 2, sync: false, minLength: 4_096, periodicFlush: 1_000 })
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
