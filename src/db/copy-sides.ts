import { existsSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import pg from 'pg'
import { CLAIM_LOCK, retryClaim } from './claim.ts'
import { NodeSqliteDialect } from './dialect.ts'
import { migrate } from './migrate.ts'
import { claimFile, resolveFile } from './open-sqlite.ts'
import { connectionTo } from './postgres.ts'
import { openMigrated } from './serve-postgres.ts'
import { createFile } from './sqlite.ts'
import { fileOf, isPostgres } from './store-url.ts'
import type { Tables } from './tables.ts'

export interface CopiedTable {
  name: string
  /** The primary key. Rows are read in key order. */
  key: string
  /** Whether the store generates the key. Such ids are never reused. */
  givesIds: boolean
}

const ids = (name: string): CopiedTable => ({ name, key: 'id', givesIds: true })

/** The secrets of the installation. They are copied last, and their presence marks the copy as complete. */
export const SECRET_TABLE: CopiedTable = { name: 'secret', key: 'name', givesIds: false }

/** Every table that is copied. The list has a table after all tables that it refers to. */
export const COPIED_TABLES: CopiedTable[] = [
  ids('category'),
  ids('vocabulary'),
  ids('organization'),
  ids('api_key'),
  { name: 'api_key_secret', key: 'hash', givesIds: false },
  ids('staff'),
  ids('pet'),
  ids('photo'),
  { name: 'removed_photo', key: 'hash', givesIds: false },
  ids('pet_change'),
  ids('pet_source'),
  ids('photo_source'),
  ids('adoption_order'),
  ids('adoption_order_pet'),
  ids('application'),
  ids('outbox'),
  ids('event'),
  { name: 'event_log', key: 'name', givesIds: false },
  ids('webhook'),
  ids('delivery'),
  ids('followed'),
  ids('followed_pet'),
  { name: 'idempotency', key: 'scope', givesIds: false },
  { name: 'counter', key: 'caller', givesIds: false },
  { name: 'known_time', key: 'name', givesIds: false },
  SECRET_TABLE,
]

/** Tables with rows in a new store, each with a query for them. A table precedes those it refers to. */
export const SEEDED_TABLES: Record<string, string> = {
  vocabulary: 'select id, kind, category_id, name from vocabulary order by id',
  category: 'select id, name, description from category order by id',
  event_log: 'select name, removed_to, queued_to from event_log',
}

/** Not copied, because triggers on pet maintain this table. It is compared with a count. */
export const INVENTORY_TABLE = 'inventory'

/** Not copied, because this table identifies a store, and the copy is another store. */
export const INSTALLATION_TABLE = 'installation'

/** The table that marks a store as one of adoptable. */
export const MIGRATIONS_TABLE = 'kysely_migration'

// Reads and writes the two stores of `adoptable copy`.

/** A stored value. Integers are bigints, which represent every integer of both engines exactly. */
type Value = string | bigint | null

export type Row = Value[]

/** Maximum number of rows read at once and written in one transaction. */
const BATCH_SIZE = 1_000

/** One of the two stores. No other process can use the store until it is closed. */
export interface CopySide {
  /** The file or database as messages show it, without its password. */
  name: string
  tables(): Promise<string[]>
  migrate(): Promise<void>
  /** The column names, in the same order on both engines. */
  columns(table: string): Promise<string[]>
  /** Runs a statement that is valid in both engines and returns few rows. */
  rows(statement: string): Promise<Row[]>
  /** Reads rows in key order (text keys by bytes) after a key, or from the first. Needs a transaction. */
  batches(table: CopiedTable, columns: string[], after?: Value): AsyncIterable<Row[]>
  lastKey(table: CopiedTable): Promise<Value | undefined>
  insert(table: CopiedTable, columns: string[], rows: Row[]): Promise<void>
  /** The highest id that the store has ever assigned, including ids of deleted rows. 0 if there was none. */
  lastId(table: CopiedTable): Promise<bigint>
  setLastId(table: CopiedTable, id: bigint): Promise<void>
  /** Runs `work` in a transaction, and rolls back if it throws. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>
  /** Updates the statistics of the query planner. */
  analyze(): Promise<void>
  close(): Promise<void>
}

export async function countOf(side: CopySide, table: string): Promise<bigint> {
  const [row] = await side.rows(`select count(*) from ${table}`)
  return BigInt(row?.[0] ?? 0)
}

/** Opens a store for a command that needs it exclusively. @throws if another process uses the store */
export function openSide(url: string, mustExist: boolean): Promise<CopySide> {
  return isPostgres(url) ? openPostgresSide(url) : openSqliteSide(fileOf(url), mustExist)
}

const BUSY = 5

/** @throws if another process has the file open, or if `mustExist` is true and the file does not exist */
export async function openSqliteSide(file: string, mustExist: boolean): Promise<CopySide> {
  if (mustExist && !existsSync(file)) throw new Error(`there is no store at ${file}`)
  const release = claimExclusively(resolveFile(file))
  const database = createFile(file, { timeout: 0, enableForeignKeyConstraints: true })
  const close = async (): Promise<void> => {
    database.close()
    release()
  }
  try {
    // An exclusive lock also excludes processes with a shared lock: commands, and services with Redis.
    database.exec('pragma locking_mode = exclusive')
    prepareExact(database, 'select name from sqlite_schema').all()
    return sqliteSide(file, database, close)
  } catch (cause) {
    await close()
    const busy = (cause as { errcode?: number }).errcode === BUSY
    const problem = busy ? 'another process uses it; stop that first' : (cause as Error).message
    throw new Error(`${file}: ${problem}`, { cause })
  }
}

function claimExclusively(file: string): () => void {
  try {
    return claimFile(file)
  } catch (cause) {
    throw new Error(`${file}: another adoptable serves it; stop that first`, { cause })
  }
}

function sqliteSide(name: string, database: DatabaseSync, close: () => Promise<void>): CopySide {
  const rows = (statement: string, ...values: Value[]): Row[] =>
    prepareExact(database, statement).all(...values) as unknown as Row[]
  const run = async (statement: string): Promise<Row[]> => rows(statement)

  return {
    name,
    close,
    rows: run,
    tables: async () =>
      rows(`select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`).map(String),
    async migrate() {
      // Syncs as often as the service does. After a power cut, a resumed copy must find all earlier rows.
      database.exec('pragma journal_mode = wal; pragma synchronous = full')
      const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(database) })
      await migrate(db, 'sqlite')
    },
    columns: async (table) => rows('select name from pragma_table_info(?)', table).map(String).sort(),
    async *batches({ name: table, key }, columns, after) {
      const condition = after === undefined ? '' : `where ${key} > ?`
      const statement = prepareExact(database, `select ${columns} from ${table} ${condition} order by ${key}`)
      let batch: Row[] = []
      for (const row of statement.iterate(...(after === undefined ? [] : [after]))) {
        if (batch.push(row as unknown as Row) < BATCH_SIZE) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
    lastKey: async ({ name: table, key }) =>
      rows(`select ${key} from ${table} order by ${key} desc limit 1`)[0]?.[0],
    async insert({ name: table }, columns, added) {
      const statement = database.prepare(
        `insert into ${table} (${columns}) values (${columns.map(() => '?')})`,
      )
      for (const row of added) statement.run(...row)
    },
    async lastId({ name: table }) {
      const given = 'select seq from sqlite_sequence where name = ?'
      const [row] = rows(`select max(coalesce((${given}), 0), coalesce(max(id), 0)) from ${table}`, table)
      return BigInt(row?.[0] ?? 0)
    },
    async setLastId({ name: table }, id) {
      rows('delete from sqlite_sequence where name = ?', table)
      rows('insert into sqlite_sequence (name, seq) values (?, ?)', table, id)
    },
    transaction: (work) => inTransaction(run, 'begin immediate', work),
    analyze: async () => undefined,
  }
}

/** The rows that a query returns in a new store. */
export async function newRows(query: string): Promise<Row[]> {
  const database = new DatabaseSync(':memory:')
  await migrate(new Kysely({ dialect: new NodeSqliteDialect(database) }), 'sqlite')
  return prepareExact(database, query).all() as unknown as Row[]
}

function prepareExact(database: DatabaseSync, statement: string): StatementSync {
  const prepared = database.prepare(statement)
  prepared.setReturnArrays(true)
  prepared.setReadBigInts(true)
  return prepared
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, BigInt)

/** @throws if a service or another command of adoptable uses the database */
export async function openPostgresSide(url: string): Promise<CopySide> {
  const { host, pathname } = new URL(url)
  const name = `postgres://${host}${pathname}`
  const client = new pg.Client({
    ...connectionTo(url, true),
    types,
    // Differs from the service's name, because `claimDatabase` looks for sessions with that name.
    application_name: 'adoptable copy',
    idle_in_transaction_session_timeout: 0,
  })
  // A broken connection makes the next query fail.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await claimDatabase(client)
    return postgresSide(name, url, client)
  } catch (cause) {
    void client.end().catch(() => undefined)
    const { message, code } = cause as { message?: string; code?: string }
    throw new Error(`${name}: ${message || code}`, { cause })
  }
}

/** Refuses a running service. Without Redis it holds the lock; with Redis its sessions have a known name. */
async function claimDatabase(client: pg.Client): Promise<void> {
  const query = `
    select pg_try_advisory_lock($1) as held, exists (
      select from pg_stat_activity where datname = current_database() and application_name = 'adoptable'
    ) as used`
  const free = await retryClaim(async () => {
    const { rows } = await client.query<{ held: boolean; used: boolean }>(query, [CLAIM_LOCK])
    return rows[0]?.held === true && !rows[0].used
  })
  if (!free) throw new Error('another adoptable uses it; stop that first')
}

function postgresSide(name: string, url: string, client: pg.Client): CopySide {
  const rows: Rows = async (text, values = []) =>
    (await client.query<Row>({ text, values, rowMode: 'array' })).rows
  const typesOf = new Map<string, string[]>()

  async function columns(table: string): Promise<string[]> {
    const found = await rows(
      `select column_name::text, data_type::text from information_schema.columns
        where table_schema = current_schema() and table_name = $1 order by column_name collate "C"`,
      [table],
    )
    const arrays = found.map(([, type]) => `${type}[]`)
    typesOf.set(table, arrays)
    return found.map(([column]) => String(column))
  }

  return {
    name,
    columns,
    rows,
    tables: async () =>
      (await rows('select tablename::text from pg_tables where schemaname = current_schema()')).map(String),
    async migrate() {
      await (await openMigrated(url)).destroy()
    },
    async *batches(table, names, after) {
      const condition = after === undefined ? '' : `where ${byBytes(table)} > $1`
      const query = `select ${names} from ${table.name} ${condition} order by ${byBytes(table)}`
      // An index of text may use another order than byte order. A cursor sorts only once, not for each batch.
      await rows(`declare copied no scroll cursor for ${query}`, after === undefined ? [] : [after])
      for (;;) {
        const batch = await rows(`fetch ${BATCH_SIZE} from copied`)
        if (batch.length > 0) yield batch
        if (batch.length < BATCH_SIZE) break
      }
      await rows('close copied')
    },
    lastKey: async (table) =>
      (await rows(`select ${table.key} from ${table.name} order by ${byBytes(table)} desc limit 1`))[0]?.[0],
    async insert({ name: table }, names, added) {
      if (!typesOf.has(table)) await columns(table)
      const arrays = typesOf.get(table)?.map((type, index) => `$${index + 1}::${type}`)
      await client.query({
        name: `insert into ${table}`,
        text: `insert into ${table} (${names}) select ${names} from unnest(${arrays}) as added (${names})`,
        values: names.map((_, index) => added.map((row) => row[index])),
      })
    },
    async lastId({ name: table }) {
      const [[sequence] = []] = await rows(`select pg_get_serial_sequence($1, 'id')`, [table])
      const [row] = await rows(`
        select greatest(
          (select case when is_called then last_value else last_value - 1 end from ${sequence}),
          (select max(id) from ${table})
        )`)
      return BigInt(row?.[0] ?? 0)
    },
    async setLastId({ name: table }, id) {
      const [value, isCalled] = id === 0n ? [1n, false] : [id, true]
      await rows(`select setval(pg_get_serial_sequence($1, 'id'), $2, $3)`, [table, value, isCalled])
    },
    transaction: (work) => inTransaction(rows, 'begin', work),
    async analyze() {
      await rows(`analyze ${COPIED_TABLES.map((table) => table.name)}`)
    },
    close: () => client.end(),
  }
}

type Rows = (text: string, values?: unknown[]) => Promise<Row[]>

async function inTransaction<Result>(
  rows: (statement: string) => Promise<unknown>,
  begin: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await rows(begin)
  try {
    const result = await work()
    await rows('commit')
    return result
  } catch (error) {
    await rows('rollback').catch(() => undefined)
    throw error
  }
}

function byBytes({ key, givesIds }: CopiedTable): string {
  return givesIds ? key : `${key} collate "C"`
}
