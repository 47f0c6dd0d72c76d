import pg from 'pg'
import { connectionTo, toldApart } from './postgres.ts'

/** What held adopters, applicants and staff, and the kept results of requests. */
const TABLES = ['adoption_order', 'application', 'idempotency', 'staff']

/** Nobody waits longer than this for the orders because of it. */
const SCRUB_LOCK_TIMEOUT_MS = 200
/** Requests read for milliseconds; who reads for longer is waited for with the next try. */
const MAX_LOOKS = 40
const LOOK_EVERY_SECONDS = 0.05
/** The advisory lock of the process that scrubs; no other one needs to. */
const SCRUB = 7_219_412
/** lock_not_available (appendix A of PostgreSQL's manual). */
const LOCKED = '55P03'

/**
 * Writes the tables that held people anew: a plain vacuum lets PostgreSQL use the place of old rows again,
 * and leaves their bytes in it.
 *
 * @throws when somebody uses the tables, or may still read their old rows: it is to be tried again later
 */
export async function scrubPostgres(url: string): Promise<void> {
  const client = new pg.Client(connectionTo(url, true))
  client.on('error', () => undefined)
  try {
    await client.connect().catch(refused)
    await ask(client, `set lock_timeout = ${SCRUB_LOCK_TIMEOUT_MS}`)
    const { rows } = await ask(client, `select pg_try_advisory_lock(${SCRUB}) as held`)
    if (!rows[0]?.held) throw new Error('another process writes the orders anew just now')
    await oldReadersGone(client)
    for (const table of TABLES) await writeAnew(client, table)
  } finally {
    await client.end()
  }
}

/**
 * Waits until nobody can see a state from before: for such a transaction a vacuum keeps old rows. None can
 * come later, since a transaction sees no further back than the oldest that is running when it begins.
 */
async function oldReadersGone(client: pg.Client): Promise<void> {
  const { rows: now } = await ask(client, 'select pg_snapshot_xmax(pg_current_snapshot())::text as xid')
  for (let look = 1; look <= MAX_LOOKS; look += 1) {
    const { rowCount } = await ask(
      client,
      `select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and
          greatest(age(backend_xmin), age(backend_xid)) > age($1::xid8::xid)`,
      [now[0]?.xid],
    )
    if (rowCount === 0) return
    await ask(client, `select pg_sleep(${LOOK_EVERY_SECONDS})`)
  }
  throw new Error('another session reads an earlier state of the database')
}

/**
 * A session that is just being opened, to any database, also keeps old rows, and nobody sees it: how many
 * were kept is known only from what PostgreSQL says, "3 dead row versions cannot be removed yet".
 */
async function writeAnew(client: pg.Client, table: string): Promise<void> {
  let kept = 0
  const count = ({ detail = '' }: { detail?: string | undefined }): void => {
    kept += Number(/\d+/.exec(detail)?.[0] ?? 0)
  }
  client.on('notice', count)
  await ask(client, `vacuum (full, verbose) ${table}`)
  client.off('notice', count)
  if (kept > 0) throw new Error(`another session kept ${kept} old rows of ${table}`)
}

function ask(client: pg.Client, text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  return client.query(text, values).catch(refused)
}

function refused(error: unknown): never {
  if ((error as { code?: string }).code === LOCKED) throw new Error('the orders are in use')
  throw toldApart(error)
}
