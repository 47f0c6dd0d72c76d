import pg from 'pg'
import { CLAIM_IDLE_TIMEOUT_MS, ClaimTakenError } from './claim.ts'
import { connectionTo, isServerError, LISTEN_TO_KEYS } from './postgres.ts'
import type { Versioned } from './write.ts'

/** Interval of the polls for new commits. API keys need none: PostgreSQL announces their changes. */
const POLL_MS = 250
/** If the latest successful poll is older than this, cached data is not used. */
const STALE_MS = 1_000
/** A longer poll is useless: by then, PostgreSQL has ended the idle session and released the lock. */
const POLL_QUERY = {
  text: 'select pg_current_snapshot()::text as snapshot',
  query_timeout: CLAIM_IDLE_TIMEOUT_MS,
}
/** Cached keys are read again after this time, because a change may have bypassed the triggers. */
const KEYS_MAX_AGE_MS = 1_000

export interface Watch {
  /** See `Reader.version`. */
  version(of: Versioned): number
  /** See `Claim.doubt`. */
  doubt(): Error | undefined
  /** Call this after a commit of this process. Changed keys have a notification of their own. */
  committed(): void
  /** Call this when a notification of a changed key arrives on any connection. */
  keysChanged(): void
  close(): Promise<void>
}

interface Options {
  /** Takes the claim on each new connection. @throws {ClaimTakenError} if another process has it */
  claim(client: pg.Client, signal?: AbortSignal): Promise<void>
  signal?: AbortSignal | undefined
  /** Called with the reason before each attempt to reconnect. */
  onLost?(reason: unknown): void
  onBack?(): void
}

/**
 * Detects commits of any process, over a separate connection. Each transaction that has written changes the
 * current snapshot. The same connection also holds the claim.
 * @throws if the database cannot be claimed. If the claim is lost later, the error ends the process.
 */
export async function watchPostgres(url: string, { claim, signal, onLost, onBack }: Options): Promise<Watch> {
  const session = createSessionState()
  let brokenBy: unknown
  const closing = new AbortController()
  /** The timer of the next poll. Set between two polls. */
  let timer: NodeJS.Timeout | undefined
  let client = use(await connect(signal))

  async function connect(until?: AbortSignal): Promise<pg.Client> {
    const newClient = await openSession(url, session, (opened) => claim(opened, until))
    if (closing.signal.aborted) await newClient.end()
    return newClient
  }

  function use(newClient: pg.Client): pg.Client {
    return newClient.on('error', (error) => onBreak(newClient, error)).on('end', () => onBreak(newClient))
  }

  async function poll(): Promise<void> {
    timer = undefined
    await session.readSnapshot(client).catch(reconnect)
    if (!closing.signal.aborted) timer = setTimeout(poll, POLL_MS)
  }

  function onBreak(broken: pg.Client, error?: Error): void {
    if (broken !== client || closing.signal.aborted) return
    brokenBy = error ?? brokenBy
    session.broken()
    if (timer === undefined) return
    clearTimeout(timer)
    void poll()
  }

  async function reconnect(cause: unknown): Promise<void> {
    // PostgreSQL releases the claim when the connection that holds it ends.
    session.broken()
    void client.end().catch(() => undefined)
    if (closing.signal.aborted) return
    onLost?.(brokenBy ?? cause)
    try {
      client = use(await connect(closing.signal))
      brokenBy = undefined
      onBack?.()
    } catch (error) {
      session.broken()
      // Ends this process, because two processes with separate counters would allow twice the limits.
      if (!(error instanceof ClaimTakenError) || closing.signal.aborted) return
      setImmediate(() => {
        throw error
      })
    }
  }
  timer = setTimeout(poll, POLL_MS)

  return {
    version: session.version,
    doubt: session.doubt,
    committed: session.committed,
    keysChanged: session.keysChanged,
    async close() {
      closing.abort()
      clearTimeout(timer)
      await client.end().catch(() => undefined)
    },
  }
}

async function openSession(
  url: string,
  { keysChanged, readSnapshot }: SessionState,
  claim: (client: pg.Client) => Promise<void>,
): Promise<pg.Client> {
  // Without a listener an error would end the process.
  const newClient = new pg.Client(connectionTo(url)).on('error', () => undefined)
  try {
    await newClient.on('notification', keysChanged).connect()
    await claim(newClient)
    await newClient.query(LISTEN_TO_KEYS)
    // Notifications that were sent before this point may have been missed.
    keysChanged()
    await readSnapshot(newClient)
    return newClient
  } catch (error) {
    void newClient.end().catch(() => undefined)
    throw error
  }
}

type SessionState = ReturnType<typeof createSessionState>

/** Tracks the state of the data and of the claim, based on the responses to polls. */
function createSessionState() {
  const { committed, keysChanged, version } = createChangeCounter()
  let snapshot = ''
  /** When the latest successful poll was sent. */
  let seenAt = Number.NEGATIVE_INFINITY
  /** The time when the latest poll with any response was sent. An error is also a response. */
  let answeredAt = Number.NEGATIVE_INFINITY

  async function readSnapshot(client: pg.Client): Promise<void> {
    const sentAt = performance.now()
    const { rows } = await client.query<{ snapshot: string }>(POLL_QUERY).catch((error: unknown) => {
      // The session is still alive after errors such as a cancellation.
      if (isServerError(error)) return { rows: [] }
      throw error
    })
    answeredAt = sentAt
    const [row] = rows
    if (!row) return
    if (row.snapshot !== snapshot) committed()
    snapshot = row.snapshot
    seenAt = sentAt
  }

  return {
    readSnapshot,
    committed,
    keysChanged,
    version: (of: Versioned) => version(of, performance.now() - seenAt <= STALE_MS),
    broken() {
      answeredAt = Number.NEGATIVE_INFINITY
    },
    doubt() {
      if (performance.now() - answeredAt < CLAIM_IDLE_TIMEOUT_MS) return undefined
      return new Error('PostgreSQL: no answer on the connection that holds the claim')
    },
  }
}

/** Counts the changes of each kind of cached data. */
function createChangeCounter() {
  const current: Record<Versioned, number> = { pages: 0, keys: 0, commits: 0 }
  let keysSince = Number.NEGATIVE_INFINITY
  function committed(): void {
    current.pages += 1
    current.commits += 1
  }
  function keysChanged(): void {
    current.keys += 1
    keysSince = performance.now()
  }
  function version(of: Versioned, upToDate: boolean): number {
    if (!upToDate) committed()
    if (!upToDate || performance.now() - keysSince > KEYS_MAX_AGE_MS) keysChanged()
    return current[of]
  }
  return { committed, keysChanged, version }
}
