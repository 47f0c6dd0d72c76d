import {
  type CompiledQuery,
  type Expression,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { NodeSqliteAdapter } from './sqlite.ts'
import type { Db, Tables } from './tables.ts'

export interface VisibleRows<Row> {
  found: Row[]
  /** The id at which the rows were cut off. Set only if an open transaction may still commit a lower id. */
  cutFrom?: number
}

/** The differences between the engines that Kysely does not cover. */
export interface Dialect {
  engine: 'sqlite' | 'postgres'
  /** Runs a compiled query. The engine may reuse the plan of an earlier run. */
  run<Row extends object>(db: Db, query: CompiledQuery): Promise<Row[]>
  /** Runs a compiled query with a plan for the present values. */
  runOwnPlan<Row extends object>(db: Db, query: CompiledQuery): Promise<Row[]>
  /**
   * Returns an expression that locks `name` until the end of the transaction. The expression is false if
   * another transaction has the lock.
   */
  tryLock(name: string | Expression<string>): RawBuilder<SqlBool>
  /**
   * Locks `name` until the end of the transaction. If another transaction has the lock, waits for that
   * transaction.
   */
  lock(db: Db, name: string): Promise<void>
  /**
   * Locks the selected rows until the end of the transaction.
   *
   * @param others what to do with rows that another transaction has locked: skip them, or wait for them
   */
  lockRows<Query extends SelectQueryBuilder<Tables, never, unknown>>(
    query: Query,
    others: 'skip' | 'wait',
  ): Query
  /**
   * Reads animals by ascending id, without missing any. If an open transaction may still commit an id, cuts
   * off all rows above that id.
   */
  readVisible<Row extends { id: number }>(db: Db, read: (db: Db) => Promise<Row[]>): Promise<VisibleRows<Row>>
  /** Queries `id`, the last event of the log. Events with lower ids have all been committed. */
  lastEvent: RawBuilder<{ id: number }>
}

// Bypasses Kysely's connection handling, which costs as much as a query. SQLite has only one connection.
const runOnSqlite: Dialect['run'] = (db, query) =>
  (db.getExecutor().adapter as NodeSqliteAdapter).executeQuery(query)

/** The dialect of SQLite. SQLite has a single writing connection, so changes never run concurrently. */
const SQLITE: Dialect = {
  engine: 'sqlite',
  run: runOnSqlite,
  runOwnPlan: runOnSqlite,
  tryLock: () => sql<SqlBool>`true`,
  lock: async () => undefined,
  lockRows: (query) => query,
  readVisible: async (db, read) => ({ found: await read(db) }),
  lastEvent: sql`select coalesce(max(seq), 0) as id from sqlite_sequence where name = 'event'`,
}

const names = new Map<string, string>()

/**
 * Returns the name of the prepared statement for a query text. Returns undefined if the query should not be
 * prepared.
 */
export function statementName(text: string): string | undefined {
  return names.get(text)
}

/** The maximum number of prepared statements. The source cannot produce this many different query texts. */
const MAX_NAMES = 2_000

async function runOnPostgres<Row extends object>(db: Db, query: CompiledQuery): Promise<Row[]> {
  return (await db.executeQuery<Row>(query)).rows
}

/** The dialect of PostgreSQL, which has many connections with concurrent transactions. */
const POSTGRES: Dialect = {
  engine: 'postgres',
  run(db, query) {
    if (!names.has(query.sql) && names.size < MAX_NAMES) names.set(query.sql, `adoptable_${names.size}`)
    return runOnPostgres(db, query)
  },
  // Uses an unnamed statement, because PostgreSQL plans it again for each execution.
  runOwnPlan: runOnPostgres,
  // The mask makes the key positive, because negative keys mark animals that are being added.
  tryLock: (name) =>
    sql<SqlBool>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0) & 9223372036854775807)`,
  async lock(db, name) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0) & 9223372036854775807)`.execute(db)
  },
  lockRows: (query, others) =>
    (others === 'wait' ? query.forUpdate() : query.forUpdate().skipLocked()) as typeof query,
  // PostgreSQL assigns an id before the transaction commits, so a lower id can appear after a higher one.
  readVisible: (db, read) =>
    db.connection().execute(async (connection) => {
      // This query must run before the rows are read. Every id below its result is then already committed or
      // will never appear.
      const { rows } = await sql<{ id: number }>`select settled_pets() as id`.execute(connection)
      const cutFrom = rows[0]?.id ?? 0
      const all = await read(connection)
      const found = all.filter(({ id }) => id < cutFrom)
      return found.length < all.length ? { found, cutFrom } : { found }
    }),
  lastEvent: sql`select settled_events() - 1 as id`,
}

/** Returns the dialect of a connection. No other code checks which engine a query runs on. */
export function dialectOf(db: Db): Dialect {
  return db.getExecutor().adapter instanceof NodeSqliteAdapter ? SQLITE : POSTGRES
}

// Passes a list of values in one parameter, so the statement has the same text for any number of values.

/** @param list the result of `listParameter` */
export function inList(db: Db, list: unknown, type: 'bigint' | 'text'): RawBuilder<never> {
  if (dialectOf(db).engine === 'sqlite') return sql`(select value from json_each(${list}))`
  return sql`(select unnest(${list}::${sql.raw(type)}[]))`
}

export const listParameter = (db: Db, values: unknown[]): unknown =>
  dialectOf(db).engine === 'sqlite' ? JSON.stringify(values) : values

/**
 * Reads with PostgreSQL's own plan for a short time, then with another plan. PostgreSQL's own plan is good
 * for common filters, but can be far slower for rare filters.
 *
 * @param firstPlanMs how long PostgreSQL may use its own plan
 * @param read runs the query; `otherPlan` says whether to force the other plan
 */
export async function readWithFallbackPlan<Result>(
  db: Db,
  firstPlanMs: number,
  read: (db: Db, otherPlan: boolean) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.transaction().execute(async (inside) => {
      await sql`select set_config('statement_timeout', ${String(firstPlanMs)}, true)`.execute(inside)
      return await read(inside, false)
    })
  } catch (error) {
    if (!isTimeout(error)) throw error
    return read(db, true)
  }
}

/** The SQLSTATE of a statement that exceeded its time limit. */
const QUERY_CANCELED = '57014'

/** Whether PostgreSQL canceled a statement because it exceeded its time limit. */
export const isTimeout = (error: unknown): boolean =>
  [error, (error as Error).cause].some(
    (one) => (one as { code?: string } | undefined)?.code === QUERY_CANCELED,
  )

/** SQLite's result codes for failed I/O and for a read-only file. */
const IO_ERROR = 10
const READ_ONLY = 8

/** Checks whether the disk failed. The disk may then have any part of the last write. */
export function isDiskFailure(error: unknown): boolean {
  return hasResult(error, IO_ERROR)
}

/**
 * Checks whether the file is open read-only. If SQLite cannot open a file for writing, it silently opens the
 * file this way.
 */
export function isReadOnly(error: unknown): boolean {
  return hasResult(error, READ_ONLY)
}

/** Compares SQLite's primary result code, which is the low byte of the extended one. */
function hasResult(error: unknown, result: number): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && (errcode & 0xff) === result
}

/**
 * Checks whether the database rolled a transaction back because of a concurrent one (serialization failure or
 * deadlock).
 */
export function isConflict(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } }
  return cause?.code === '40001' || cause?.code === '40P01'
}
