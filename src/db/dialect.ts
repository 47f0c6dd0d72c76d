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

export interface Visible<Row> {
  found: Row[]
  /** Where rows were cut off, since one below them may still come: the first id that they can have. */
  cutFrom?: number
}

/** What queries have to know of the engine that they run on; Kysely writes the rest for each. */
export interface Dialect {
  engine: 'sqlite' | 'postgres'
  /** Runs a query that is built already. */
  run<Row extends object>(db: Db, query: CompiledQuery): Promise<Row[]>
  /** The same, planned for the values of this query alone. */
  runOwnPlan<Row extends object>(db: Db, query: CompiledQuery): Promise<Row[]>
  /** True where no other transaction has these words in hand; they are in this one's until its end. */
  takeInHand(words: string | Expression<string>): RawBuilder<SqlBool>
  /** Waits until no other transaction has these words in hand; they are in this one's until its end. */
  waitInHand(db: Db, words: string): Promise<void>
  /**
   * Rows that this transaction alone changes until its end; those that another one is changing are left
   * out.
   */
  lockRows<Query extends SelectQueryBuilder<Tables, never, unknown>>(query: Query): Query
  /**
   * For who pages from the lowest id of an animal to the highest, and is to meet each of them: what is
   * there already is cut off where a lower id may still come.
   */
  readVisible<Row extends { id: number }>(db: Db, read: (db: Db) => Promise<Row[]>): Promise<Visible<Row>>
}

// Kysely's way to a connection costs as much as a query, and the embedded store has but one.
const runOnSqlite: Dialect['run'] = (db, query) =>
  (db.getExecutor().adapter as NodeSqliteAdapter).executeQuery(query)

/** One connection that may write, and makes one change after the other. */
const SQLITE: Dialect = {
  engine: 'sqlite',
  run: runOnSqlite,
  runOwnPlan: runOnSqlite,
  takeInHand: () => sql<SqlBool>`true`,
  waitInHand: async () => undefined,
  lockRows: (query) => query,
  readVisible: async (db, read) => ({ found: await read(db) }),
}

const names = new Map<string, string>()

/** Under which PostgreSQL keeps, for as long as a connection lives, what it made of such a query's text. */
export function nameOf(text: string): string | undefined {
  return names.get(text)
}

/** Bounded by the source: so many texts have prepared queries at most, with all their shapes. */
const MAX_NAMES = 2_000

async function runOnPostgres<Row extends object>(db: Db, query: CompiledQuery): Promise<Row[]> {
  return (await db.executeQuery<Row>(query)).rows
}

/** Many connections, and several transactions at once. */
const POSTGRES: Dialect = {
  engine: 'postgres',
  run(db, query) {
    if (!names.has(query.sql) && names.size < MAX_NAMES) names.set(query.sql, `adoptable_${names.size}`)
    return runOnPostgres(db, query)
  },
  // Of a query without a name PostgreSQL keeps no plan.
  runOwnPlan: runOnPostgres,
  // Negative keys of locks tell of animals that are being added.
  takeInHand: (words) =>
    sql<SqlBool>`pg_try_advisory_xact_lock(hashtextextended(${words}, 0) & 9223372036854775807)`,
  async waitInHand(db, words) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${words}, 0) & 9223372036854775807)`.execute(db)
  },
  lockRows: (query) => query.forUpdate().skipLocked() as typeof query,
  // Ids are given before they are committed.
  readVisible: (db, read) =>
    db.connection().execute(async (one) => {
      // Before the rows are read: who has committed by now has none below that is not seen.
      const { rows } = await sql<{ id: number }>`select settled_pets() as id`.execute(one)
      const cutFrom = rows[0]?.id ?? 0
      const all = await read(one)
      const found = all.filter(({ id }) => id < cutFrom)
      return found.length < all.length ? { found, cutFrom } : { found }
    }),
}

/** The one place that asks which engine a query runs on. */
export function dialectOf(db: Db): Dialect {
  return db.getExecutor().adapter instanceof NodeSqliteAdapter ? SQLITE : POSTGRES
}
