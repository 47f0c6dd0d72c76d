import { createHash } from 'node:crypto'
import { Redis, type RedisOptions } from 'ioredis'

/** No answer in this time is a lost store: a request is usually answered within 250 ms, whatever happens. */
const ANSWER_MS = 120
/** Looked at so often. */
const WATCH_MS = 20
/** So often the one connection that has nothing to say shows that it still hears. */
const HEARING_MS = 1_000
const LONGEST_PAUSE_MS = 250

/** Runs a script on the store. @returns its answer */
type Run = (script: string, keys: string[], args: (string | number)[]) => Promise<unknown[]>

/** A way to the store that breaks at the first doubt, and mends itself for ever. */
export interface Connection {
  /** Grows whenever answers under way can no longer be trusted to come. */
  readonly session: number
  /** Why the store was last lost. */
  readonly cause: Error
  /** The end of this turn of the event loop: what is asked right then goes out in one write. */
  endOfTurn(): Promise<void>
  run: Run
  members(key: string): Promise<string[]>
  publish(channel: string, message: string): Promise<void>
  /** Ends the session: whatever was asked in it counts as lost, and is asked in no other. */
  fail(error: unknown): void
  close(): void
}

interface Options {
  server: string | RedisOptions
  channel: string
  /** Of tests only: another client. */
  connect?: typeof connectTo
  onReady(): void
  onLost(): void
  onMessage(message: string): void
}

/**
 * `maxRetriesPerRequest: 0` rejects at once what was under way when a connection ends; without it that
 * hangs.
 */
const SETTINGS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // Done below; ioredis would leave the rejection of its own attempt to nobody, which ends the process.
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  connectTimeout: ANSWER_MS,
  // Of the greetings. All else is watched below, and sooner: this timer goes off also when only this process
  // was busy, before it reads the answer that is there.
  commandTimeout: 2_000,
  disconnectTimeout: ANSWER_MS,
  maxLoadingRetryTime: LONGEST_PAUSE_MS,
  retryStrategy: (times) => Math.min(50 * times, LONGEST_PAUSE_MS),
  replyMapping: 'legacy',
} as const satisfies RedisOptions

export function openConnection(options: Options): Connection {
  const { server, channel, connect = connectTo, onReady, onLost, onMessage } = options
  const redis = connect(server)
  const listener = connect(server)
  const scripts = scriptsOn(redis, guard)
  const waiting = watchAnswers(() => fail(new Error('Redis: no answer')))
  let up = false
  let session = 1
  let cause = new Error('Redis has not been reached yet')

  redis.on('error', (error) => {
    cause = plain(error)
  })
  redis.on('ready', () => {
    up = true
    scripts.forget()
    cause = new Error('Redis: the connection ended')
    onReady()
  })
  redis.on('close', () => fail(cause))
  hearOthers(listener, channel, onMessage)

  function fail(error: unknown): void {
    session += 1
    cause = plain(error)
    // Not disconnect(): that waits for the other side, and leaves requests under way without an answer.
    redis.stream?.destroy()
    // A silent server is silent here too.
    if (up) listener.stream?.destroy()
    up = false
    onLost()
  }

  /** An answer counts only in the session in which it was asked for. */
  function guard<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const asked = session
    const heard = waiting()
    return ask().then(
      (answer) => {
        heard()
        if (asked !== session) throw cause
        return answer
      },
      (error: unknown) => {
        heard()
        if (asked === session && breaks(error)) fail(error)
        throw plain(error)
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
    endOfTurn: shareTurns(() => redis.stream),
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
 * Where no subscription comes about, the connection is begun anew. It is asked for again and again: a
 * firewall that forgets a connection of few words tells nobody, and no lease would be released any more.
 */
function hearOthers(listener: Redis, channel: string, onMessage: Options['onMessage']): void {
  const giveUp = () => listener.stream?.destroy()
  const waiting = watchAnswers(giveUp)
  let next: NodeJS.Timeout | undefined

  function subscribe(): void {
    const heard = waiting()
    const again = () => {
      next = setTimeout(subscribe, HEARING_MS)
    }
    listener.subscribe(channel).finally(heard).then(again, giveUp)
  }

  listener.on('error', () => {})
  listener.on('ready', subscribe)
  listener.on('close', () => clearTimeout(next))
  listener.on('message', (_channel, message) => onMessage(message))
}

/** One promise for all who ask in the same turn. @param streamOf where they write then */
function shareTurns(streamOf: () => Redis['stream'] | undefined): () => Promise<void> {
  let end: Promise<void> | undefined
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined
        const stream = streamOf()
        stream?.cork()
        resolve()
        // After all that has waited for this.
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
 * A mistake in one key is no lost store, nor is a script that somebody took away; all else (no answer,
 * LOADING, READONLY, OOM, NOAUTH …) is.
 */
function breaks(error: unknown): boolean {
  return !/^(ERR|WRONGTYPE|NOSCRIPT)/.test((error as Error).message)
}

/** Errors of the client carry the command, and with it the password: only the words go on. */
function plain(error: unknown): Error {
  const { message } = error as Error
  return new Error(message.startsWith('Redis') ? message : `Redis: ${message}`)
}

/** @returns what to call before a question; and what that returns, after the answer */
function watchAnswers(onSilence: () => void): () => () => void {
  const questions = new Set<{ askedAt: number }>()
  let watch: NodeJS.Timeout | undefined

  function look(): void {
    const [oldest] = questions
    if (!oldest) {
      clearInterval(watch)
      watch = undefined
    } else if (performance.now() - oldest.askedAt > ANSWER_MS) {
      // What has come in meanwhile is read first: perhaps it was this process that was busy.
      setImmediate(() => questions.has(oldest) && onSilence())
    }
  }

  return () => {
    const question = { askedAt: performance.now() }
    questions.add(question)
    watch ??= setInterval(look, WATCH_MS)
    return () => questions.delete(question)
  }
}

const shas = new Map<string, string>()

function shaOf(script: string): string {
  const sha = shas.get(script) ?? createHash('sha1').update(script).digest('hex')
  shas.set(script, sha)
  return sha
}

type Guard = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>

/** Names scripts by their digests, once their text went over the connection; a new one has to forget that. */
function scriptsOn(redis: Redis, guard: Guard): { run: Run; forget(): void } {
  const sent = new Set<string>()
  return {
    forget: () => sent.clear(),
    async run(script, keys, args) {
      const rest = [keys.length, ...keys, ...args] as const
      // What is asked next must not overtake this because the server had to be told of the script first.
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
