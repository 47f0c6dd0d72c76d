import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'
import { ApiError } from '../errors.ts'
import { CLAIM, claimPatiently, SILENT_MS, Taken } from './claim.ts'
import type { Database, OpenOptions } from './database.ts'
import { homeOfDatabase } from './installation.ts'
import { migrate, migrateIfNew, requireCurrent } from './migrate.ts'
import { IDLE_IN_TRANSACTION_MS, isOwnWord, openPostgres } from './postgres.ts'
import { scrubPostgres } from './scrub-postgres.ts'
import type { Db } from './tables.ts'
import { untilThere } from './until-there.ts'
import { watchPostgres } from './watch-postgres.ts'
import { transactionWriter } from './write.ts'

const COMMAND_CONNECTIONS = 2

/** Made while a start still waits for as long as it takes: for its first request, and for a job beside. */
const FIRST_CONNECTIONS = 2

/** PostgreSQL's codes for a statement that took too long, and for a change where none may be made. */
const CANCELED = '57014'
const READ_ONLY = '25006'

/** The tables are brought up to date. */
export function openMigrated(url: string): Promise<Db> {
  return openOnce(url, async (db) => {
    await requireUtf8(db)
    await migrate(db, 'postgres')
  })
}

/** For a command; the tables are made where there are none. @throws when they are not of this release */
export function openForCommand(url: string): Promise<Db> {
  return openOnce(url, async (db) => {
    await requireUtf8(db)
    await migrateIfNew(db, 'postgres', placeOf(url))
  })
}

/** In any other encoding characters are lacking, or counted as bytes. */
async function requireUtf8(db: Db): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  const encoding = rows[0]?.server_encoding
  if (encoding !== 'UTF8')
    throw new Error(`PostgreSQL: the database is in ${encoding}, and has to be in UTF8`)
}

/** For a command that changes nothing. @throws when there is no store, or it is not of this release */
export function openAsItIs(url: string): Promise<Db> {
  return openOnce(url, (db) => requireCurrent(db, 'postgres', placeOf(url)))
}

/** For a message: without the user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `in postgres://${host}${pathname}`
}

async function openOnce(url: string, prepare: (db: Db) => Promise<void>): Promise<Db> {
  const db = openPostgres(url, { connections: COMMAND_CONNECTIONS, patient: true })
  try {
    await prepare(db)
    return db
  } catch (error) {
    await db.destroy()
    throw reasonOf(error)
  }
}

/** The cause, which no client sees: this is for who starts a service or a command. */
function reasonOf(error: unknown): unknown {
  const { cause } = error as { cause?: Error & { code?: string } }
  return cause ? new Error(`PostgreSQL: ${cause.message || cause.code}`, { cause }) : error
}

/** As `openDatabase`. */
export async function servePostgres(
  url: string,
  { connections, shared, changes, ...waiting }: OpenOptions,
): Promise<Database> {
  const migrated = await untilThere(() => openMigrated(url), waiting)
  const home = await homeOfDatabase(migrated).finally(() => migrated.destroy())
  const token = shared ? undefined : randomUUID()
  const watch = await watchPostgres(url, { claim: claimer(token), ...waiting })
  const db = openPostgres(url, { connections, onKeysChanged: watch.keysChanged })
  try {
    await untilThere(() => warm(db, Math.min(FIRST_CONNECTIONS, connections)), waiting)
  } catch (error) {
    await Promise.all([watch.close(), db.destroy()])
    throw error
  }
  const writer = transactionWriter(db, changes, watch.committed)
  return {
    ...writer,
    ready: () => requireWritable(db),
    db,
    version: watch.version,
    claim: token === undefined ? undefined : { token, doubt: watch.doubt },
    home,
    scrub: () => scrubPostgres(url),
    async close() {
      await watch.close()
      await writer.close()
    },
  }
}

/** Has so many connections in use at once, so that the pool has them from then on. */
async function warm(db: Db, connections: number): Promise<void> {
  await Promise.all(Array.from({ length: connections }, () => sql`select 1`.execute(db)))
}

/** A standby says so of itself too. */
async function requireWritable(db: Db): Promise<void> {
  const { rows } = await sql<{ state: string }>`
    select current_setting('transaction_read_only') as state
  `.execute(db)
  if (rows[0]?.state === 'off') return
  throw new ApiError('service_unavailable', { cause: new Error('PostgreSQL: the database is read-only') })
}

/**
 * What takes the claim, on each connection that is to hold it: for as long as that lives and is used.
 *
 * @param token of a process that counts alone: from the first time on it names the claim
 */
function claimer(token: string | undefined): (client: pg.Client, signal?: AbortSignal) => Promise<void> {
  const lock = token === undefined ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  let isFirst = true

  async function isMine(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ token: string }>('select token from claim')
    return rows[0]?.token === token
  }

  return async (client, signal) => {
    await client.query(`set idle_session_timeout = ${SILENT_MS}`)
    const isHeld = await claimPatiently(async () => {
      const { rows } = await client.query<{ held: boolean }>(`select ${lock}($1) as held`, [CLAIM])
      const held = rows[0]?.held === true
      // Whoever has it writes a token at once: then nothing is left to wait for.
      if (!held && token !== undefined && !isFirst && !(await isMine(client))) throw new Taken()
      return held
    }, signal)
    if (!isHeld) throw new Taken()
    if (token === undefined) return
    if (isFirst) await writeToken(client, token, signal)
    // Asked behind the lock: from here on nobody else writes one.
    else if (!(await isMine(client))) throw new Taken()
    isFirst = false
  }
}

/**
 * Waits for a process before it that still writes counters. The server ends one that stands still.
 *
 * @throws when none of the two can be
 */
async function writeToken(client: pg.Client, token: string, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + IDLE_IN_TRANSACTION_MS + SILENT_MS
  const statement = `insert into claim (id, token) values (1, $1)
    on conflict (id) do update set token = excluded.token`
  for (;;) {
    try {
      await client.query(statement, [token])
      return
    } catch (error) {
      signal?.throwIfAborted()
      if ((error as { code?: string }).code === READ_ONLY) {
        throw new Error('PostgreSQL: the database is read-only; make it writable, and start again', {
          cause: error,
        })
      }
      if (!isOwnWord(error) || error.code !== CANCELED || performance.now() > until) throw error
    }
  }
}
