import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { ApiError } from '../errors.ts'
import { nameOf } from './dialect.ts'
import type { Db } from './tables.ts'

// A request needs the database twice, to learn whose key it is and to do what is asked, and waits for Redis
// in between: whatever becomes of them, it is answered in two seconds.

/** From the wish for a connection to the last answer on it. */
const USE_TIMEOUT_MS = 850
/** For a connection of the pool, which a burst of changes shares, or a new one. */
const CONNECT_TIMEOUT_MS = 1_000
/** Of a command, or a start, which nobody waits for by the second. */
const PATIENT_CONNECT_TIMEOUT_MS = 2_000
/** Shorter, so that the server says so itself where it can: the connection then stays of use. */
const STATEMENT_TIMEOUT_MS = 700

/** The server ends what a process of ours left open when it lost its connection, or its life. */
export const IDLE_IN_TRANSACTION_MS = 5_000

/** The pool closes a connection that nobody has used for so long. */
const IDLE_MS = 10_000
/** One that the pool has not closed by then has lost its process, or the line to it: the server ends it. */
const FORGOTTEN_MS = 30_000

/** PostgreSQL's type int8: ids, times and counts, all of them well within the integers that a number holds exactly. */
const INT8 = 20

const types = new pg.TypeOverrides()
types.setTypeParser(INT8, Number)

export interface PostgresOptions {
  /** Connections at most. */
  connections: number
  /** For work that takes as long as it takes, such as a migration. */
  patient?: boolean
  /**
   * Hears that a key has changed. The server tells whoever changed it before it says that the change is
   * committed, so that nobody is answered from a memory of before.
   */
  onKeysChanged?: () => void
}

/** What the triggers of the tables tell: see the first migration. */
export const LISTEN_TO_KEYS = 'listen adoptable_keys'

/** Where and how every connection of ours is made. */
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

/** A bounded pool of connections; each is made when it is needed. */
export function openPostgres(url: string, { connections, patient, onKeysChanged }: PostgresOptions): Db {
  const pool = new pg.Pool({
    ...connectionTo(url, patient),
    options: `-c idle_session_timeout=${FORGOTTEN_MS}`,
    idleTimeoutMillis: IDLE_MS,
    max: connections,
  })
  // A connection that breaks is replaced by the next that is needed, and who uses it meanwhile learns it from
  // the query; without listeners it would end the process, also between two queries of one transaction.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    if (!onKeysChanged) return
    // Runs before whatever the connection was made for. Where it fails, the watch hears it a little later.
    client.on('notification', onKeysChanged)
    client.query(LISTEN_TO_KEYS).catch(() => undefined)
  })
  async function connect(): Promise<PostgresPoolClient> {
    const until = patient ? undefined : performance.now() + USE_TIMEOUT_MS
    return careful(await pool.connect().catch(fail), until)
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
 * A connection that is not used again once it failed otherwise than by the database's own word: after a time-
 * out nobody knows what is still under way on it.
 *
 * @param until when it has to be given back, by the clock of the process
 */
function careful(client: pg.PoolClient, until: number | undefined): PostgresPoolClient {
  let broken: Error | undefined
  const query = async (text: string, values: unknown[]): Promise<unknown> => {
    if (broken) throw broken
    const left = until && { query_timeout: Math.max(1, Math.ceil(until - performance.now())) }
    try {
      return await client.query({ name: nameOf(text), text, values, ...left })
    } catch (error) {
      if (!isOwnWord(error)) broken = toldApart(error)
      throw broken ?? toldApart(error)
    }
  }
  return { query, release: () => client.release(broken) } as unknown as PostgresPoolClient
}

/** Whether the database itself refused it, and its session goes on. */
export function isOwnWord(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}

function fail(error: unknown): never {
  throw lost(error)
}

function lost(cause: unknown): ApiError {
  return new ApiError('service_unavailable', { cause: withoutData(cause) })
}

/**
 * Classes of SQLSTATE in which the database cannot do what is asked of it now (appendix A of its manual): the
 * connection, resources, an operator's doing, the system, and a store that is only to be read
 * (25006), or whose tables somebody removed (42P01).
 */
const UNAVAILABLE = /^(?:08|28|3D|53|57|58|XX|25006|42P01|55P03|40)/

/** @returns a 503 where the database cannot do it now, or is not there, and what it said otherwise */
export function toldApart(error: unknown): Error {
  if (!isOwnWord(error)) return lost(error)
  return UNAVAILABLE.test(error.code ?? '') ? lost(error) : withoutData(error)
}

/** What the database adds for its operator can quote a row, and must not reach our log. */
function withoutData<Thrown>(error: Thrown): Thrown {
  if (error instanceof pg.DatabaseError) Object.assign(error, { detail: undefined, where: undefined })
  return error
}
