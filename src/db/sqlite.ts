import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type CompiledQuery, SqliteAdapter, SqliteDialect, type SqliteStatement } from 'kysely'

/** How long a writer waits for another process (a command, a backup) before it gives up, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000

/**
 * Below this SQLite can damage a WAL file when two connections write and checkpoint at once (fixed in
 * 3.51.3).
 */
const OLDEST_SQLITE = [3, 51, 3] as const

/** A file of SQLite, opened to write (created when absent) or only to read. */
export function openFile(file: string, mode: 'write' | 'read'): DatabaseSync {
  refuseOldSqlite(process.versions.sqlite ?? '0')
  if (mode === 'read') return new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  const database = createFile(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  // FULL: a commit is on the disk before it is acknowledged. WAL with NORMAL loses the last ones at a
  // power cut. What is erased, such as an adopter, is overwritten in the file, and not only given free.
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = fast')
  return database
}

/**
 * Opens a file for us alone, with its folder when absent; SQLite gives the files beside it the same
 * permissions.
 */
export function createFile(file: string, options: DatabaseSyncOptions): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // Only where there is none: closing a file ends every lock that this process has on it (POSIX, fcntl).
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  try {
    return new DatabaseSync(file, options)
  } catch (cause) {
    const { message, errcode } = cause as Error & { errcode?: number }
    throw Object.assign(new Error(`${file}: ${message}`, { cause }), { errcode })
  }
}

function refuseOldSqlite(version: string): void {
  const parts = version.split('.').map(Number)
  const older = OLDEST_SQLITE.findIndex((part, place) => (parts[place] ?? 0) !== part)
  if (older >= 0 && (parts[older] ?? 0) < (OLDEST_SQLITE[older] ?? 0)) {
    throw new Error(`SQLite ${version} is too old; ${OLDEST_SQLITE.join('.')} or later is needed`)
  }
}

type Prepare = (sql: string) => SqliteStatement

/** Kysely on node:sqlite: the shape of statements it expects, each prepared once. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #prepare: Prepare

  constructor(database: DatabaseSync) {
    const prepare = preparing(database)
    super({ database: { close: () => database.close(), prepare } })
    this.#prepare = prepare
  }

  override createAdapter(): SqliteAdapter {
    return new NodeSqliteAdapter(this.#prepare)
  }
}

/** What Kysely asks of the engine, and a way past Kysely for queries that are built already. */
export class NodeSqliteAdapter extends SqliteAdapter {
  readonly #prepare: Prepare

  constructor(prepare: Prepare) {
    super()
    this.#prepare = prepare
  }

  /** SQLite's DDL is transactional; told so, Kysely runs all pending migrations in one transaction. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** Runs a query on the one connection, in whatever transaction that is in. */
  async executeQuery<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<{ rows: Row[] }> {
    const statement = this.#prepare(sql)
    if (statement.reader) return { rows: statement.all(parameters) as Row[] }
    statement.run(parameters)
    return { rows: [] }
  }
}

function preparing(database: DatabaseSync): Prepare {
  const prepared = new Map<string, SqliteStatement>()
  return (sql) => {
    let statement = prepared.get(sql)
    if (!statement) {
      // A transaction that starts as a reader is refused at once when it turns into a writer beside another.
      statement = adapt(database.prepare(sql === 'begin' ? 'begin immediate' : sql))
      if (sql === 'rollback') statement = whereNeeded(database, statement)
      if (prepared.size < MOST_PREPARED) prepared.set(sql, statement)
    }
    return statement
  }
}

const MOST_PREPARED = 500

function adapt(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values as SQLInputValue[])),
    run: (values) => statement.run(...(values as SQLInputValue[])),
    iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
  }
}

/** A full or broken disk has ended the transaction already: what went wrong there is the error to hear of. */
function whereNeeded(database: DatabaseSync, rollback: SqliteStatement): SqliteStatement {
  const none = { changes: 0, lastInsertRowid: 0 }
  return { ...rollback, run: (values) => (database.isTransaction ? rollback.run(values) : none) }
}
