import { createHash } from 'node:crypto'
import { Redis, type RedisOptions } from 'ioredis'

/** Without an answer for this long, the store counts as lost. Most requests then take at most 250 ms. */
const ANSWER_MS = 120
/** Interval of the checks for unanswered commands. */
const CHECK_INTERVAL_MS = 20
/** Interval of the checks of the subscription, which is silent while no lease is recalled. */
const SUBSCRIBE_INTERVAL_MS = 1_000
const MAX_PAUSE_MS = 250

/** Runs a script in Redis. @returns its answer */
type Run = (script: string, keys: string[], args: (string | number)[]) => Promise<unknown[]>

/** A connection to Redis. A failure or missing answer ends the session, and it retries forever. */
export interface Connection {
  /** Increases whenever the answers to pending commands can no longer be trusted. */
  readonly session: number
  /** Why the store was last lost. */
  readonly cause: Error
  /** Resolves at the end of this turn of the event loop. Commands sent right after that share one write. */
  endOfTurn(): Promise<void>
  run: Run
  members(key: string): Promise<string[]>
  publish(channel: string, message: string): Promise<void>
  /** Ends the session. Its pending commands count as lost and are not repeated. */
  fail(error: unknown): void
  close(): void
}

interface Options {
  server: string | RedisOptions
  channel: string
  /** Creates the Redis client. Tests pass another function. */
  connect?: typeof connectTo
  onReady(): void
  onLost(): void
  onMessage(message: string): void
}

/** With `maxRetriesPerRequest: 0`, pending commands reject when a connection ends, instead of hanging. */
const SETTINGS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // `subscribeToRecalls` does this. If ioredis failed to, an unhandled rejection would end the process.
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  connectTimeout: ANSWER_MS,
  // This timeout is only for the handshake, because `watchAnswers` detects all other timeouts sooner. This
  // timer also fires when the answer has arrived but the process was too busy to read it.
  commandTimeout: 2_000,
  disconnectTimeout: ANSWER_MS,
  maxLoadingRetryTime: MAX_PAUSE_MS,
  retryStrategy: (times) => Math.min(50 * times, MAX_PAUSE_MS),
  replyMapping: 'legacy',
} as const satisfies RedisOptions

export function openConnection(options: Options): Connection {
  const { server, channel, connect = connectTo, onReady, onLost, onMessage } = options
  const redis = connect(server)
  const listener = connect(server)
  const scripts = scriptsOn(redis, guard)
  const startWatch = watchAnswers(() => fail(new Error('Redis: no answer')))
  let up = false
  let session = 1
  let cause = new Error('Redis has not been reached yet')

  redis.on('error', (error) => {
    cause = withoutCommand(error)
  })
  redis.on('ready', () => {
    up = true
    scripts.forget()
    cause = new Error('Redis: the connection ended')
    onReady()
  })
  redis.on('close', () => fail(cause))
  subscribeToRecalls(listener, channel, onMessage)

  function fail(error: unknown): void {
    session += 1
    cause = withoutCommand(error)
    // disconnect() would wait for the server, and pending commands would not reject.
    redis.stream?.destroy()
    // If the server does not answer on one connection, it will not answer on the other one.
    if (up) listener.stream?.destroy()
    up = false
    onLost()
  }

  /** Accepts an answer only if the session is still the one in which the command was sent. */
  function guard<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const sentIn = session
    const done = startWatch()
    return ask().then(
      (answer) => {
        done()
        if (sentIn !== session) throw cause
        return answer
      },
      (error: unknown) => {
        done()
        if (sentIn === session && isLoss(error)) fail(error)
        throw withoutCommand(error)
      },
    )
  }

  return {
    get session() {
      return session
    },
    get cause() {
      return cause
    },
    endOfTurn: shareEndOfTurn(() => redis.stream),
    run: scripts.run,
    members: (key) => guard(() => redis.zrange(key, '-1000', '-1')),
    publish: (to, message) => guard(async () => void (await redis.publish(to, message))),
    fail,
    close() {
      redis.disconnect()
      listener.disconnect()
    },
  }
}

/**
 * Subscribes to recalls, and reconnects when that fails. A firewall may silently drop an idle connection, and
 * then this process would no longer release any lease. The subscription is therefore renewed regularly.
 */
function subscribeToRecalls(listener: Redis, channel: string, onMessage: Options['onMessage']): void {
  const reconnect = () => listener.stream?.destroy()
  const startWatch = watchAnswers(reconnect)
  let next: NodeJS.Timeout | undefined

  function subscribe(): void {
    const done = startWatch()
    const again = () => {
      next = setTimeout(subscribe, SUBSCRIBE_INTERVAL_MS)
    }
    listener.subscribe(channel).finally(done).then(again, reconnect)
  }

  listener.on('error', () => {})
  listener.on('ready', subscribe)
  listener.on('close', () => clearTimeout(next))
  listener.on('message', (_channel, message) => onMessage(message))
}

/** Returns one promise to all callers in the same turn. @param streamOf the stream that they write to */
function shareEndOfTurn(streamOf: () => Redis['stream'] | undefined): () => Promise<void> {
  let end: Promise<void> | undefined
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined
        const stream = streamOf()
        stream?.cork()
        resolve()
        // Runs after all code that awaits the promise.
        queueMicrotask(() => stream?.uncork())
      })
    })
    return end
  }
}

export function connectTo(server: string | RedisOptions): Redis {
  return typeof server === 'string' ? new Redis(server, SETTINGS) : new Redis({ ...server, ...SETTINGS })
}

/**
 * Checks whether an error means that the store is lost (no answer, LOADING, READONLY, OOM, NOAUTH …). Errors
 * of one key and missing scripts do not.
 */
function isLoss(error: unknown): boolean {
  return !/^(ERR|WRONGTYPE|NOSCRIPT)/.test((error as Error).message)
}

/** Keeps only the message of an error, because its command may include the password. */
function withoutCommand(error: unknown): Error {
  const { message } = error as Error
  return new Error(message.startsWith('Redis') ? message : `Redis: ${message}`)
}

/**
 * Detects missing answers.
 * @returns a function to call before each command; it returns a function to call after the answer
 */
function watchAnswers(onSilence: () => void): () => () => void {
  const pending = new Set<{ sentAt: number }>()
  let watch: NodeJS.Timeout | undefined

  function check(): void {
    const [oldest] = pending
    if (!oldest) {
      clearInterval(watch)
      watch = undefined
    } else if (performance.now() - oldest.sentAt > ANSWER_MS) {
      // First reads the answers that have arrived, because this process may have been too busy to read them.
      setImmediate(() => pending.has(oldest) && onSilence())
    }
  }

  return () => {
    const command = { sentAt: performance.now() }
    pending.add(command)
    watch ??= setInterval(check, CHECK_INTERVAL_MS)
    return () => pending.delete(command)
  }
}

const shas = new Map<string, string>()

function shaOf(script: string): string {
  const sha = shas.get(script) ?? createHash('sha1').update(script).digest('hex')
  shas.set(script, sha)
  return sha
}

type Guard = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>

/** Runs scripts by digest. The first run on each connection sends the text of the script. */
function scriptsOn(redis: Redis, guard: Guard): { run: Run; forget(): void } {
  const sent = new Set<string>()
  return {
    forget: () => sent.clear(),
    async run(script, keys, args) {
      const rest = [keys.length, ...keys, ...args] as const
      // The first run uses EVAL. If the script were loaded separately, a later command could overtake it.
      if (sent.has(script)) {
        try {
          return (await guard(() => redis.evalsha(shaOf(script), ...rest))) as unknown[]
        } catch (error) {
          if (!/NOSCRIPT/.test((error as Error).message)) throw error
        }
      }
      sent.add(script)
      return (await guard(() => redis.eval(script, ...rest))) as unknown[]
    },
  }
}
