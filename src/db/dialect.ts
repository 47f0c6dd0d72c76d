import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type Expression,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  SqliteAdapter,
  SqliteDialect,
  type SqliteStatement,
  sql,
} from 'kysely'
import { isTimeout } from './engine-errors.ts'
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
  /** Returns an expression that locks `name` until the transaction ends, or is false if it is locked. */
  tryLock(name: string | Expression<string>): RawBuilder<SqlBool>
  /** Locks `name` until the end of the transaction. Waits for a transaction that has the lock. */
  lock(db: Db, name: string): Promise<void>
  /**
   * Locks the selected rows until the end of the transaction. Only these rows are read as they are after the
   * wait, so a transaction reads everything else after this query. Others may still add rows that refer to
   * them.
   * @param others what to do with rows that another transaction has locked: skip them, or wait for them
   */
  lockRows<Query extends SelectQueryBuilder<Tables, never, unknown>>(
    query: Query,
    others: 'skip' | 'wait',
  ): Query
  /** Reads animals by ascending id. Cuts off all rows above an id that may still be committed. */
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

/** Returns the name of the prepared statement for a text; undefined if it should not be prepared. */
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
    (others === 'wait' ? query.forNoKeyUpdate() : query.forNoKeyUpdate().skipLocked()) as typeof query,
  // PostgreSQL assigns an id before the transaction commits, so a lower id can appear after a higher one.
  readVisible: (db, read) =>
    db.connection().execute(async (connection) => {
      // Must run before the rows are read: every id below its result is then committed or never appears.
      const { rows } = await sql<{ id: number }>`select settled_pets() as id`.execute(connection)
      const cutFrom = rows[0]?.id ?? 0
      const all = await read(connection)
      const found = all.filter(({ id }) => id < cutFrom)
      return found.length < all.length ? { found, cutFrom } : { found }
    }),
  lastEvent: sql`select settled_events() - 1 as id`,
}

/** Returns the dialect of a connection. No other code determines the engine of a connection. */
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

type Prepare<Statement> = (sql: string) => Statement

/** Runs Kysely on node:sqlite, and prepares each statement once. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #prepare: Prepare<StatementSync>

  constructor(database: DatabaseSync) {
    super({ database: { close: () => database.close(), prepare: prepareForKysely(database) } })
    this.#prepare = memoize((sql) => database.prepare(sql))
  }

  override createAdapter(): SqliteAdapter {
    return new NodeSqliteAdapter(this.#prepare)
  }
}

/** Kysely's adapter. It can also run a compiled query without Kysely's connection handling. */
export class NodeSqliteAdapter extends SqliteAdapter {
  readonly #prepare: Prepare<StatementSync>

  constructor(prepare: Prepare<StatementSync>) {
    super()
    this.#prepare = prepare
  }

  /** Makes Kysely run all pending migrations in one transaction. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** Runs a query on the only connection, in its current transaction. */
  async executeQuery<Row extends object>({ sql, parameters }: CompiledQuery): Promise<Row[]> {
    return this.#prepare(sql).all(...(parameters as SQLInputValue[])) as unknown as Row[]
  }
}

function prepareForKysely(database: DatabaseSync): Prepare<SqliteStatement> {
  return memoize((sql) => {
    // Starts every transaction as a writing one. If a reading transaction starts to write while another one
    // writes, SQLite refuses it without waiting.
    const statement = adapt(database.prepare(sql === 'begin' ? 'begin immediate' : sql))
    return sql === 'rollback' ? ifInTransaction(database, statement) : statement
  })
}

const MAX_PREPARED = 500

function memoize<Statement>(prepare: Prepare<Statement>): Prepare<Statement> {
  const prepared = new Map<string, Statement>()
  return (sql) => {
    const existing = prepared.get(sql)
    if (existing) return existing
    const statement = prepare(sql)
    if (prepared.size < MAX_PREPARED) prepared.set(sql, statement)
    return statement
  }
}

function adapt(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values as SQLInputValue[])),
    run: (values) => statement.run(...(values as SQLInputValue[])),
    iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
  }
}

/** Skips the rollback if a full or broken disk has ended the transaction, as it would hide that error. */
function ifInTransaction(database: DatabaseSync, rollback: SqliteStatement): SqliteStatement {
  const none = { changes: 0, lastInsertRowid: 0 }
  return { ...rollback, run: (values) => (database.isTransaction ? rollback.run(values) : none) }
}
