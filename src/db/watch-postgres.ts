import pg from 'pg'
import { SILENT_MS, Taken } from './claim.ts'
import type { Kept } from './database.ts'
import { connectionTo, isOwnWord, LISTEN_TO_KEYS } from './postgres.ts'

/**
 * How often the database is asked whether anybody has committed; a revoked key is known at once, by its
 * notice.
 */
const POLL_MS = 250
/** What was true so long ago counts no more: nothing is remembered while the database cannot be asked. */
const STALE_MS = 1_000
/** After this time without a question the server has ended the session; before, it still has the lock. */
const LOOK = { text: 'select pg_current_snapshot()::text as snapshot', query_timeout: SILENT_MS }
/** Keys of which no notice told, since they came past the triggers, are known as late as this. */
const UNTOLD_MS = 1_000

export interface Watch {
  /** As `Reader.version`. */
  version(of: Kept): number
  /** As `Claim.doubt`. */
  doubt(): Error | undefined
  /** Something was committed here; a key that was brings its notice. */
  committed(): void
  /** A notice of a key has come, on whatever connection. */
  keysChanged(): void
  close(): Promise<void>
}

interface Options {
  /**
   * Takes what this process may have, on each new connection.
   *
   * @throws {Taken} when another process has it
   */
  claim(client: pg.Client, signal?: AbortSignal): Promise<void>
  /** Ends the start. */
  signal?: AbortSignal | undefined
  /** Hears why the connection was lost, each time it is tried again. */
  onLost?(reason: unknown): void
  /** Hears that there is one again. */
  onBack?(): void
}

/**
 * Notices over a connection of its own that anybody, here or in another process, has committed: a snapshot
 * names the transactions that are over, and changes with each of them that wrote anything. The claim is held
 * by the same connection.
 *
 * @throws when it cannot be claimed at the start; later nobody is left to tell, and the process ends
 */
export async function watchPostgres(url: string, { claim, signal, onLost, onBack }: Options): Promise<Watch> {
  const session = watchSession()
  let brokenBy: unknown
  const closing = new AbortController()
  /** Set between two looks. */
  let timer: NodeJS.Timeout | undefined
  let client = use(await connect(signal))

  async function connect(until?: AbortSignal): Promise<pg.Client> {
    const fresh = await openSession(url, session, (opened) => claim(opened, until))
    if (closing.signal.aborted) await fresh.end()
    return fresh
  }

  function use(fresh: pg.Client): pg.Client {
    return fresh.on('error', (error) => onBreak(fresh, error)).on('end', () => onBreak(fresh))
  }

  async function poll(): Promise<void> {
    timer = undefined
    await session.look(client).catch(reconnect)
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
    // The claim is given up with its connection.
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
      // Two processes that count alone would let through twice what they may: one of them has to go.
      if (!(error instanceof Taken) || closing.signal.aborted) return
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
  { keysChanged, look }: Session,
  claim: (client: pg.Client) => Promise<void>,
): Promise<pg.Client> {
  // Without a listener an error would end the process.
  const fresh = new pg.Client(connectionTo(url)).on('error', () => undefined)
  try {
    await fresh.on('notification', keysChanged).connect()
    await claim(fresh)
    await fresh.query(LISTEN_TO_KEYS)
    // What was told before, nobody heard.
    keysChanged()
    await look(fresh)
    return fresh
  } catch (error) {
    void fresh.end().catch(() => undefined)
    throw error
  }
}

type Session = ReturnType<typeof watchSession>

/** What the answers on the connection say of the data, and of the claim. */
function watchSession() {
  const { committed, keysChanged, version } = countChanges()
  let snapshot = ''
  /** When the snapshot was asked for. */
  let seenAt = Number.NEGATIVE_INFINITY
  /** When the latest question with any answer was asked. */
  let answeredAt = Number.NEGATIVE_INFINITY

  async function look(client: pg.Client): Promise<void> {
    const askedAt = performance.now()
    const { rows } = await client.query<{ snapshot: string }>(LOOK).catch((error: unknown) => {
      // Cancelled, say: the session lives.
      if (isOwnWord(error)) return { rows: [] }
      throw error
    })
    answeredAt = askedAt
    const [seen] = rows
    if (!seen) return
    if (seen.snapshot !== snapshot) committed()
    snapshot = seen.snapshot
    seenAt = askedAt
  }

  return {
    look,
    committed,
    keysChanged,
    version: (of: Kept) => version(of, performance.now() - seenAt <= STALE_MS),
    broken() {
      answeredAt = Number.NEGATIVE_INFINITY
    },
    doubt() {
      if (performance.now() - answeredAt < SILENT_MS) return undefined
      return new Error('PostgreSQL: no answer on the connection that holds the claim')
    },
  }
}

/** A number for each kind of what is kept, and what raises it. */
function countChanges() {
  const current: Record<Kept, number> = { pages: 0, keys: 0 }
  let keysSince = Number.NEGATIVE_INFINITY
  function committed(): void {
    current.pages += 1
  }
  function keysChanged(): void {
    current.keys += 1
    keysSince = performance.now()
  }
  function version(of: Kept, upToDate: boolean): number {
    if (!upToDate) committed()
    if (!upToDate || performance.now() - keysSince > UNTOLD_MS) keysChanged()
    return current[of]
  }
  return { committed, keysChanged, version }
}
