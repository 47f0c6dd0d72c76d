import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { ApiError } from '../errors.ts'
import { CLAIM_IDLE_TIMEOUT_MS, CLAIM_LOCK, ClaimTakenError, retryClaim } from './claim.ts'
import type { Database, OpenOptions } from './database.ts'
import { homeOfDatabase } from './installation.ts'
import { migrate, migrateIfNew, requireCurrent } from './migrate.ts'
import {
  classifyError,
  connectionTo,
  IDLE_IN_TRANSACTION_MS,
  isServerError,
  openPostgres,
} from './postgres.ts'
import type { Db } from './tables.ts'
import { watchPostgres } from './watch-postgres.ts'
import { transactionWriter } from './write.ts'

const COMMAND_CONNECTIONS = 2

/** Connections opened at the start: one for the first request, and one for a simultaneous job. */
const FIRST_CONNECTIONS = 2

/** SQLSTATEs of a canceled statement, and of a change in a read-only transaction. */
const CANCELED = '57014'
const READ_ONLY = '25006'

export function openMigrated(url: string): Promise<Db> {
  return openAndPrepare(url, async (db) => {
    await requireUtf8(db)
    await migrate(db, 'postgres')
  })
}

/** Opens the database for a command, and creates missing tables. @throws if they belong to another release */
export function openForCommand(url: string): Promise<Db> {
  return openAndPrepare(url, async (db) => {
    await requireUtf8(db)
    await migrateIfNew(db, 'postgres', placeOf(url))
  })
}

/** Refuses other encodings. Some do not have all characters, and some count bytes as characters. */
async function requireUtf8(db: Db): Promise<void> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  const encoding = rows[0]?.server_encoding
  if (encoding !== 'UTF8')
    throw new Error(`PostgreSQL: the database has the encoding ${encoding}; create it with encoding UTF8`)
}

/** Opens the database without changing it. @throws if there is no store, or one of another release */
export function openUnchanged(url: string): Promise<Db> {
  return openAndPrepare(url, (db) => requireCurrent(db, 'postgres', placeOf(url)))
}

/** The location for messages, without user and password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `in postgres://${host}${pathname}`
}

async function openAndPrepare(url: string, prepare: (db: Db) => Promise<void>): Promise<Db> {
  const db = openPostgres(url, { connections: COMMAND_CONNECTIONS, patient: true })
  try {
    await prepare(db)
    return db
  } catch (error) {
    await db.destroy()
    throw causeOf(error)
  }
}

/** Returns the cause of a 503, because the operator who starts a service or command needs it. */
function causeOf(error: unknown): unknown {
  const { cause } = error as { cause?: Error & { code?: string } }
  return cause ? new Error(`PostgreSQL: ${cause.message || cause.code}`, { cause }) : error
}

/** Implements `openDatabase` for PostgreSQL. */
export async function servePostgres(
  url: string,
  { connections, shared, changes, ...waiting }: OpenOptions,
): Promise<Database> {
  const migrated = await retryUntilOpen(() => openMigrated(url), waiting)
  const home = await homeOfDatabase(migrated).finally(() => migrated.destroy())
  const token = shared ? undefined : randomUUID()
  const watch = await watchPostgres(url, { claim: createClaim(token), ...waiting })
  const db = openPostgres(url, { connections, onKeysChanged: watch.keysChanged })
  try {
    await retryUntilOpen(() => warm(db, Math.min(FIRST_CONNECTIONS, connections)), waiting)
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

/** Makes the pool open several connections, by using them at the same time. */
async function warm(db: Db, connections: number): Promise<void> {
  await Promise.all(Array.from({ length: connections }, () => sql`select 1`.execute(db)))
}

/** @throws {ApiError} service_unavailable on a read-only database, such as a standby */
async function requireWritable(db: Db): Promise<void> {
  const { rows } = await sql<{ state: string }>`
    select current_setting('transaction_read_only') as state
  `.execute(db)
  if (rows[0]?.state === 'off') return
  throw new ApiError('service_unavailable', { cause: new Error('PostgreSQL: the database is read-only') })
}

/**
 * Returns a function that takes the claim on a connection, for as long as it is open and in use.
 * @param token identifies a process without Redis; undefined if the processes share their counters
 */
function createClaim(token: string | undefined): (client: pg.Client, signal?: AbortSignal) => Promise<void> {
  const lock = token === undefined ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  let isFirst = true

  async function isMine(client: pg.Client): Promise<boolean> {
    const { rows } = await client.query<{ token: string }>('select token from claim')
    return rows[0]?.token === token
  }

  return async (client, signal) => {
    await client.query(`set idle_session_timeout = ${CLAIM_IDLE_TIMEOUT_MS}`)
    const isHeld = await retryClaim(async () => {
      const { rows } = await client.query<{ held: boolean }>(`select ${lock}($1) as held`, [CLAIM_LOCK])
      const held = rows[0]?.held === true
      // A process that has just taken the lock writes its token immediately, so waiting longer is useless.
      if (!held && token !== undefined && !isFirst && !(await isMine(client))) throw new ClaimTakenError()
      return held
    }, signal)
    if (!isHeld) throw new ClaimTakenError()
    if (token === undefined) return
    if (isFirst) await writeToken(client, token, signal)
    // Checks the token after taking the lock, because no other process can write a token from now on.
    else if (!(await isMine(client))) throw new ClaimTakenError()
    isFirst = false
  }
}

/**
 * Writes the token. First waits until the previous process has finished writing counters. PostgreSQL ends a
 * transaction that stays idle.
 * @throws if the database is read-only, or the wait takes too long
 */
async function writeToken(client: pg.Client, token: string, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + IDLE_IN_TRANSACTION_MS + CLAIM_IDLE_TIMEOUT_MS
  const statement = {
    text: `insert into claim (id, token) values (1, $1)
      on conflict (id) do update set token = excluded.token`,
    values: [token],
    // Leaves the server time to cancel the statement, so this connection is kept.
    query_timeout: CLAIM_IDLE_TIMEOUT_MS,
  }
  for (;;) {
    try {
      await client.query(statement)
      return
    } catch (error) {
      signal?.throwIfAborted()
      if ((error as { code?: string }).code === READ_ONLY) {
        throw new Error('PostgreSQL: the database is read-only; make it writable, then start again', {
          cause: error,
        })
      }
      if (!isServerError(error) || error.code !== CANCELED || performance.now() > until) throw error
    }
  }
}

/** The pause between two attempts of a start to reach its database. The pause doubles up to the maximum. */
const MIN_PAUSE_MS = 250
const MAX_PAUSE_MS = 2_000

/** SQLSTATEs of temporary failures (manual, appendix A): connection, resources, operator intervention. */
const TEMPORARY = /^(?:08|53|57)/

/** Whether a retry can help. An unreachable database may start later; a wrong password stays wrong. */
function isTemporary(error: unknown): boolean {
  const { cause } = error as { cause?: Error & { code?: string } }
  return cause instanceof pg.DatabaseError ? TEMPORARY.test(cause.code ?? '') : cause !== undefined
}

/** Retries while the failure is temporary. @throws any other failure, or the reason of the signal */
async function retryUntilOpen<Result>(
  open: () => Promise<Result>,
  { onWait, onBack, signal }: Pick<OpenOptions, 'onWait' | 'onBack' | 'signal'>,
): Promise<Result> {
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      const opened = await open()
      onBack()
      return opened
    } catch (error) {
      if (!isTemporary(error)) throw error
      onWait(error)
    }
    await pause(pauseMs, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
}

/** Tables with personal data of adopters, applicants and staff, or with stored results of requests. */
const PEOPLE_TABLES = ['adoption_order', 'application', 'outbox', 'idempotency', 'staff']
/** Large tables that may contain the contact of an animal, rewritten only if an erasure concerns them. */
const ANIMAL_TABLES = ['pet', 'pet_change', 'pet_search']
/** The planner's statistics, which contain words of texts. Only the database's owner may rewrite it. */
const STATISTICS = 'pg_statistic'

/** The longest time that requests for these tables wait for a scrub. */
const SCRUB_LOCK_TIMEOUT_MS = 200
/** How often, and in which interval, to look for open snapshots. After that, the next scrub tries again. */
const MAX_CHECKS = 40
const CHECK_INTERVAL_SECONDS = 0.05
/** The key of the advisory lock that a process holds during a scrub. Only one process scrubs at a time. */
const SCRUB_LOCK = 7_219_412
/** SQLSTATE lock_not_available. */
const LOCKED = '55P03'

/**
 * Rewrites the tables with personal data, because a plain vacuum leaves the bytes of old rows in the file.
 * @throws if the tables are in use, or a session may still read old rows; try again later
 */
export async function scrubPostgres(url: string): Promise<void> {
  const client = new pg.Client(connectionTo(url, true))
  client.on('error', () => undefined)
  try {
    await client.connect().catch(failScrub)
    await ask(client, `set lock_timeout = ${SCRUB_LOCK_TIMEOUT_MS}`)
    const { rows } = await ask(client, `select pg_try_advisory_lock(${SCRUB_LOCK}) as held`)
    if (!rows[0]?.held) throw new Error('another process is rewriting the tables')
    await waitForOldSnapshots(client)
    const flags = await ask(client, 'select animals_scrub_due as due from known_time')
    for (const table of PEOPLE_TABLES) await rewrite(client, table)
    // If the row is missing, the tables need a scrub, because no code could have set the flag.
    if (flags.rows[0]?.due === 0) return
    for (const table of ANIMAL_TABLES) await rewrite(client, table)
    await ask(client, 'analyze pet_search')
    await rewrite(client, STATISTICS)
  } finally {
    await client.end()
  }
}

/**
 * Waits until no transaction can see an earlier state, because a vacuum keeps old rows for those. A new
 * transaction sees no state older than the oldest one that runs when it begins.
 */
async function waitForOldSnapshots(client: pg.Client): Promise<void> {
  const { rows: now } = await ask(client, 'select pg_snapshot_xmax(pg_current_snapshot())::text as xid')
  for (let check = 1; check <= MAX_CHECKS; check += 1) {
    const { rowCount } = await ask(
      client,
      `select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and
          greatest(age(backend_xmin), age(backend_xid)) > age($1::xid8::xid)`,
      [now[0]?.xid],
    )
    if (rowCount === 0) return
    await ask(client, `select pg_sleep(${CHECK_INTERVAL_SECONDS})`)
  }
  throw new Error('another session reads an earlier state of the database')
}

/**
 * Rewrites a table, and checks that no old rows remain. While a session is being opened, in any database,
 * PostgreSQL keeps old rows, but no view lists that session. PostgreSQL only reports the number of rows in a
 * notice: "3 dead row versions cannot be removed yet".
 */
async function rewrite(client: pg.Client, table: string): Promise<void> {
  let oldRows = 0
  const count = ({ detail = '' }: { detail?: string | undefined }): void => {
    oldRows += Number(/\d+/.exec(detail)?.[0] ?? 0)
  }
  client.on('notice', count)
  await ask(client, `vacuum (full, verbose) ${table}`)
  client.off('notice', count)
  if (oldRows > 0) throw new Error(`another session can still see ${oldRows} old rows of ${table}`)
}

function ask(client: pg.Client, text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  return client.query(text, values).catch(failScrub)
}

function failScrub(error: unknown): never {
  if ((error as { code?: string }).code === LOCKED) throw new Error('the tables are in use')
  throw classifyError(error)
}
