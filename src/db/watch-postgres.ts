import pg from 'pg'
import type { Kept } from './database.ts'
import { connectionTo } from './postgres.ts'

/**
 * How often the database is asked whether anybody has committed; a revoked key is known at once, by its
 * notice.
 */
const POLL_MS = 250
/** What was true so long ago counts no more: nothing is remembered while the database cannot be asked. */
const STALE_MS = 1_000
/** Keys of which no notice told, since they came past the triggers, are known as late as this. */
const UNTOLD_MS = 1_000

export interface Watch {
  /** As `Reader.version`. */
  version(of: Kept): number
  /** Something was committed here; a key that was brings its notice. */
  committed(): void
  close(): Promise<void>
}

class Taken extends Error {
  constructor() {
    super(
      'another adoptable already serves this database; stop it first, or set REDIS_URL in both to share the limits',
    )
  }
}

/**
 * Notices over a connection of its own that anybody, here or in another process, has committed: a snapshot
 * names the transactions that are over, and changes with each of them that wrote anything.
 *
 * @param claim takes what this process alone may have, on each new connection; tells whether it could
 * @param signal ends the start
 * @throws when it could not at the start; when it cannot later, nobody is left to tell, and the process ends
 */
export async function watchPostgres(
  url: string,
  claim: (client: pg.Client, signal?: AbortSignal) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<Watch> {
  const changes = countChanges()
  let snapshot = ''
  let seenAt = Number.NEGATIVE_INFINITY
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let client = await connect(signal)

  async function connect(until?: AbortSignal): Promise<pg.Client> {
    const fresh = openClient(url).on('notification', changes.keysChanged)
    try {
      await fresh.connect()
      if (!(await claim(fresh, until))) throw new Taken()
      await fresh.query('listen adoptable_keys')
      // What was told before, nobody heard.
      changes.keysChanged()
      await look(fresh)
      if (closing.signal.aborted) await fresh.end()
      return fresh
    } catch (error) {
      void fresh.end().catch(() => undefined)
      throw error
    }
  }

  async function look(from: pg.Client): Promise<void> {
    const askedAt = performance.now()
    const { rows } = await from.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot')
    if (rows[0]?.snapshot !== snapshot) changes.committed()
    snapshot = rows[0]?.snapshot ?? ''
    seenAt = askedAt
  }

  async function poll(): Promise<void> {
    await look(client).catch(reconnect)
    if (!closing.signal.aborted) timer = setTimeout(poll, POLL_MS)
  }

  async function reconnect(): Promise<void> {
    void client.end().catch(() => undefined)
    if (closing.signal.aborted) return
    try {
      client = await connect(closing.signal)
    } catch (error) {
      // Two processes that count alone would let through twice what they may: one of them has to go.
      if (error instanceof Taken && !closing.signal.aborted) endProcess(error)
    }
  }
  timer = setTimeout(poll, POLL_MS)

  return {
    version: (of) => changes.version(of, performance.now() - seenAt <= STALE_MS),
    committed: changes.committed,
    async close() {
      closing.abort()
      clearTimeout(timer)
      await client.end().catch(() => undefined)
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

function endProcess(error: Error): void {
  setImmediate(() => {
    throw error
  })
}

function openClient(url: string): pg.Client {
  // A broken connection shows in the next poll; without a listener it would end the process.
  return new pg.Client(connectionTo(url)).on('error', () => undefined)
}
