import pg from 'pg'
import { connectionTo } from './postgres.ts'

/**
 * How often the database is asked whether anybody has committed; a revoked key is known at once, by its
 * notice.
 */
const POLL_MS = 250
/** What was true so long ago counts no more: nothing is remembered while the database cannot be asked. */
const STALE_MS = 1_000

export interface Watch {
  /** As `Reader.version`. */
  version(): number
  /** Something was committed here. */
  bump(): void
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
  let current = 0
  let snapshot = ''
  let seenAt = Number.NEGATIVE_INFINITY
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let client = await connect(signal)

  async function connect(until?: AbortSignal): Promise<pg.Client> {
    const fresh = openClient(url).on('notification', bump)
    try {
      await fresh.connect()
      if (!(await claim(fresh, until))) throw new Taken()
      await fresh.query('listen adoptable_keys')
      await look(fresh)
      if (closing.signal.aborted) await fresh.end()
      return fresh
    } catch (error) {
      void fresh.end().catch(() => undefined)
      throw error
    }
  }

  function bump(): void {
    current += 1
  }

  async function look(from: pg.Client): Promise<void> {
    const askedAt = performance.now()
    const { rows } = await from.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot')
    if (rows[0]?.snapshot !== snapshot) bump()
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
    version() {
      if (performance.now() - seenAt > STALE_MS) bump()
      return current
    },
    bump,
    async close() {
      closing.abort()
      clearTimeout(timer)
      await client.end().catch(() => undefined)
    },
  }
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
