import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type CompiledQuery, SqliteAdapter, SqliteDialect, type SqliteStatement } from 'kysely'

/** How long a writer waits while another process, such as a command or a backup, has the lock. */
export const BUSY_TIMEOUT_MS = 5_000

/**
 * The oldest safe version. Earlier versions can damage a WAL file when two connections write and checkpoint
 * at once.
 */
const MIN_SQLITE_VERSION = [3, 51, 3] as const

/** Opens a database file. For writing, creates a missing file. */
export function openFile(file: string, mode: 'write' | 'read'): DatabaseSync {
  refuseOldSqlite(process.versions.sqlite ?? '0')
  if (mode === 'read') refuseHardLinks(file)
  if (mode === 'read') return new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  const database = createFile(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  // synchronous = full: a commit is on the disk before it is acknowledged. With NORMAL, a power cut can lose
  // the latest commits in WAL mode. secure_delete: SQLite overwrites deleted data, such as an adopter.
  switchToWal(database)
  database.exec('pragma synchronous = full; pragma secure_delete = on')
  return database
}

const SQLITE_BUSY = 5
const BUSY_PAUSE_MS = 5

/** Retries the switch to WAL. If two connections switch a new file at once, SQLite does not wait. */
function switchToWal(database: DatabaseSync): void {
  const until = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS)
    }
  }
}

/**
 * Opens a file, and creates a missing one as `createEmpty` does. SQLite gives its log the permissions of the
 * file.
 */
export function createFile(file: string, options: DatabaseSyncOptions): DatabaseSync {
  createEmpty(file)
  refuseHardLinks(file)
  try {
    return new DatabaseSync(file, options)
  } catch (cause) {
    const { message, errcode } = cause as Error & { errcode?: number }
    throw Object.assign(new Error(`${file}: ${message}`, { cause }), { errcode })
  }
}

/** Creates a missing file and its folder, accessible to this user only. */
export function createEmpty(file: string): void {
  makeFolder(dirname(file))
  // Never opens an existing file. Closing it would release all locks that this process has on the file (POSIX
  // fcntl).
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

/** Creates one folder at a time, because `recursive: true` loops forever below /proc. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/**
 * Refuses a file with several names. SQLite would use a separate log for each name and damage the file ("How
 * To Corrupt An SQLite Database File", section 2.5). Each name would also have its own lock file.
 */
export function refuseHardLinks(file: string): void {
  const names = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1
  if (names <= 1) return
  const advice = `find the others (find -samefile ${file}) and remove them, or use a copy`
  throw new Error(`${file} has ${names} names (hard links), which would damage it: ${advice}`)
}

function refuseOldSqlite(version: string): void {
  const parts = version.split('.').map(Number)
  const differing = MIN_SQLITE_VERSION.findIndex((part, index) => (parts[index] ?? 0) !== part)
  if (differing >= 0 && (parts[differing] ?? 0) < (MIN_SQLITE_VERSION[differing] ?? 0)) {
    throw new Error(`SQLite ${version} is too old; use ${MIN_SQLITE_VERSION.join('.')} or later`)
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

/**
 * Skips a rollback if no transaction is open, because a full or broken disk has already ended it. A failed
 * rollback would hide the original error.
 */
function ifInTransaction(database: DatabaseSync, rollback: SqliteStatement): SqliteStatement {
  const none = { changes: 0, lastInsertRowid: 0 }
  return { ...rollback, run: (values) => (database.isTransaction ? rollback.run(values) : none) }
}
