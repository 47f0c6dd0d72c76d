import pg from 'pg'
import { connectionTo } from './postgres.ts'

/** How often the database is asked whether anybody has committed; a revoked key is known at once, by its notice. */
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

/**
 * Notices over a connection of its own that anybody, here or in another process, has committed: a snapshot
 * names the transactions that are over, and changes with each of them that wrote anything.
 *
 * @param claim takes what this process alone may have, on each new connection, and throws when it cannot
 */
export async function watchPostgres(
  url: string,
  claim: (client: pg.Client) => Promise<void>,
): Promise<Watch> {
  let current = 0
  let snapshot = ''
  let seenAt = Number.NEGATIVE_INFINITY
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let client = await connect()

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client(connectionTo(url))
    // A broken connection shows in the next poll.
    fresh.on('error', () => undefined)
    fresh.on('notification', bump)
    try {
      await fresh.connect()
      await claim(fresh)
      await fresh.query('listen adoptable_keys')
      await look(fresh)
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
    try {
      await look(client)
    } catch {
      void client.end().catch(() => undefined)
      if (!closed)
        await connect().then(
          (fresh) => (client = fresh),
          () => undefined,
        )
    }
    if (!closed) timer = setTimeout(poll, POLL_MS)
  }
  timer = setTimeout(poll, POLL_MS)

  return {
    version() {
      if (performance.now() - seenAt > STALE_MS) bump()
      return current
    },
    bump,
    async close() {
      closed = true
      clearTimeout(timer)
      await client.end().catch(() => undefined)
    },
  }
}
