import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
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
  if (mode === 'read') refuseHardLinks(file)
  if (mode === 'read') return new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  const database = createFile(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  // FULL: a commit is on the disk before it is acknowledged. WAL with NORMAL loses the last ones at a
  // power cut. What is erased, such as an adopter, is overwritten in the file, and not only given free.
  turnToWal(database)
  database.exec('pragma synchronous = full; pragma secure_delete = on')
  return database
}

const SQLITE_BUSY = 5
const BUSY_PAUSE_MS = 5

/** Of two that turn a new file to WAL at once SQLite lets neither wait for the other: it is tried again. */
function turnToWal(database: DatabaseSync): void {
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
 * Opens a file for us alone, with its folder when absent; SQLite gives the files beside it the same
 * permissions.
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

/** Makes a file for us alone, with its folder, where there is none. */
export function createEmpty(file: string): void {
  makeFolder(dirname(file))
  // Only where there is none: closing a file ends every lock that this process has on it (POSIX, fcntl).
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

/** Step by step: `recursive` never ends where a folder says that it is not there, as below /proc. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/**
 * SQLite keeps a log beside each name, and through two of them damages the file (How To Corrupt, 2.5). A
 * second name would have a lock of its own, too.
 */
export function refuseHardLinks(file: string): void {
  const names = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1
  if (names <= 1) return
  const advice = `find the others (find -samefile ${file}) and remove them, or name a copy`
  throw new Error(`${file} has ${names} names (hard links), through which it would be damaged: ${advice}`)
}

function refuseOldSqlite(version: string): void {
  const parts = version.split('.').map(Number)
  const older = OLDEST_SQLITE.findIndex((part, index) => (parts[index] ?? 0) !== part)
  if (older >= 0 && (parts[older] ?? 0) < (OLDEST_SQLITE[older] ?? 0)) {
    throw new Error(`SQLite ${version} is too old; ${OLDEST_SQLITE.join('.')} or later is needed`)
  }
}

type Prepare<Statement> = (sql: string) => Statement

/** Kysely on node:sqlite: the shape of statements it expects, each prepared once. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #prepare: Prepare<StatementSync>

  constructor(database: DatabaseSync) {
    super({ database: { close: () => database.close(), prepare: preparing(database) } })
    this.#prepare = remembering((sql) => database.prepare(sql))
  }

  override createAdapter(): SqliteAdapter {
    return new NodeSqliteAdapter(this.#prepare)
  }
}

/** What Kysely asks of the engine, and a way past Kysely for queries that are built already. */
export class NodeSqliteAdapter extends SqliteAdapter {
  readonly #prepare: Prepare<StatementSync>

  constructor(prepare: Prepare<StatementSync>) {
    super()
    this.#prepare = prepare
  }

  /** SQLite's DDL is transactional; told so, Kysely runs all pending migrations in one transaction. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** Runs a query on the one connection, in whatever transaction that is in. */
  async executeQuery<Row extends object>({ sql, parameters }: CompiledQuery): Promise<Row[]> {
    return this.#prepare(sql).all(...(parameters as SQLInputValue[])) as unknown as Row[]
  }
}

function preparing(database: DatabaseSync): Prepare<SqliteStatement> {
  return remembering((sql) => {
    // A transaction that starts as a reader is refused at once when it turns into a writer beside another.
    const statement = adapt(database.prepare(sql === 'begin' ? 'begin immediate' : sql))
    return sql === 'rollback' ? whereNeeded(database, statement) : statement
  })
}

const MAX_PREPARED = 500

function remembering<Statement>(prepare: Prepare<Statement>): Prepare<Statement> {
  const prepared = new Map<string, Statement>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
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

/** A full or broken disk has ended the transaction already: what went wrong there is the error to hear of. */
function whereNeeded(database: DatabaseSync, rollback: SqliteStatement): SqliteStatement {
  const none = { changes: 0, lastInsertRowid: 0 }
  return { ...rollback, run: (values) => (database.isTransaction ? rollback.run(values) : none) }
}
