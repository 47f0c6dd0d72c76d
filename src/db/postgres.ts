import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { ApiError } from '../errors.ts'
import { statementName } from './dialect.ts'
import type { Db } from './tables.ts'

// A request uses the database twice: first to identify the key, then for its operation. Between the two, it
// calls Redis. These limits keep the answer within two seconds, whatever fails.

/** The time limit from a request for a connection to the last response on that connection. */
const USE_TIMEOUT_MS = 850
/** The time limit for getting a connection from the pool or opening a new one. */
const CONNECT_TIMEOUT_MS = 1_000
/** The same time limit for commands and starts, for which no client is waiting. */
const PATIENT_CONNECT_TIMEOUT_MS = 2_000
/** Shorter than the other limits: a connection stays usable only if the server cancels the statement. */
const STATEMENT_TIMEOUT_MS = 700

/** The server ends an idle transaction after this time. Its process has died or lost the connection. */
export const IDLE_IN_TRANSACTION_MS = 5_000

/** The pool closes a connection that has been idle for this long. */
const IDLE_MS = 10_000
/** The server ends a connection that is idle for this long: a living process would have closed it earlier. */
const ABANDONED_MS = 30_000

/** PostgreSQL's type int8. Its columns are ids, times and counts, which are exact as numbers. */
const INT8 = 20

const types = new pg.TypeOverrides()
types.setTypeParser(INT8, Number)

export interface PostgresOptions {
  connections: number
  /** Without time limits for statements, for work such as a migration. */
  patient?: boolean
  /**
   * Called when an API key has changed. Before the server confirms the commit, it notifies the connection
   * that made the change. The cached key is therefore not used for any later request.
   */
  onKeysChanged?: () => void
}

/** Subscribes to the notifications of the triggers on API keys, which the first migration creates. */
export const LISTEN_TO_KEYS = 'listen adoptable_keys'

export function connectionTo(url: string, patient = false): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'adoptable',
    types,
    connectionTimeoutMillis: patient ? PATIENT_CONNECT_TIMEOUT_MS : CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    ...(patient ? {} : { query_timeout: USE_TIMEOUT_MS, statement_timeout: STATEMENT_TIMEOUT_MS }),
  }
}

/** Opens a pool with a maximum size. The pool opens a connection when it needs one. */
export function openPostgres(url: string, { connections, patient, onKeysChanged }: PostgresOptions): Db {
  const pool = new pg.Pool({
    ...connectionTo(url, patient),
    options: `-c idle_session_timeout=${ABANDONED_MS}`,
    idleTimeoutMillis: IDLE_MS,
    max: connections,
  })
  // A broken connection makes its query fail, and the pool then replaces the connection. Without this
  // listener, the error would end the process, even between two queries of a transaction.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    if (!onKeysChanged) return
    // Runs before the caller's first query. If it fails, the watch connection notices changes a little later.
    client.on('notification', onKeysChanged)
    client.query(LISTEN_TO_KEYS).catch(() => undefined)
  })
  async function connect(): Promise<PostgresPoolClient> {
    const until = patient ? undefined : performance.now() + USE_TIMEOUT_MS
    return guardConnection(await pool.connect().catch(failUnavailable), until)
  }
  return new Kysely({
    dialect: new PostgresDialect({
      pool: {
        options: pool.options,
        connect,
        end: () => pool.end(),
      },
    }),
  })
}

/**
 * Wraps a connection, and discards it after any failure that the database did not report itself. After a
 * timeout, for example, a statement may still be running on the connection.
 * @param until the deadline for all queries, by `performance.now()`
 */
function guardConnection(client: pg.PoolClient, until: number | undefined): PostgresPoolClient {
  let broken: Error | undefined
  const query = async (text: string, values: unknown[]): Promise<unknown> => {
    if (broken) throw broken
    const left = until && { query_timeout: Math.max(1, Math.ceil(until - performance.now())) }
    try {
      return await client.query({ name: statementName(text), text, values, ...left })
    } catch (error) {
      if (!isServerError(error)) broken = classifyError(error)
      throw broken ?? classifyError(error)
    }
  }
  return { query, release: () => client.release(broken) } as unknown as PostgresPoolClient
}

/** Checks whether the database itself reported the error. The session can then continue. */
export function isServerError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}

function failUnavailable(error: unknown): never {
  throw unavailable(error)
}

function unavailable(cause: unknown): ApiError {
  return new ApiError('service_unavailable', { cause: withoutRowData(cause) })
}

/**
 * SQLSTATEs of possibly temporary failures (PostgreSQL manual, appendix A): connection, resources, operator
 * intervention, system error, read-only (25006), missing table (42P01), lock and serialization failures.
 */
const UNAVAILABLE = /^(?:08|28|3D|53|57|58|XX|25006|42P01|55P03|40)/

/** @returns a 503 if the database is unavailable, otherwise the error itself */
export function classifyError(error: unknown): Error {
  if (!isServerError(error)) return unavailable(error)
  return UNAVAILABLE.test(error.code ?? '') ? unavailable(error) : withoutRowData(error)
}

/** Removes those parts of an error that can contain values from a row. They must not reach the log. */
function withoutRowData<Thrown>(error: Thrown): Thrown {
  if (error instanceof pg.DatabaseError) Object.assign(error, { detail: undefined, where: undefined })
  return error
}
