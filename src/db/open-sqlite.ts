import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { ApiError } from '../errors.ts'
import { NodeSqliteDialect } from './dialect.ts'
import { migrate, migrateIfNew, requireCurrent } from './migrate.ts'
import { MERGE_TOKENS } from './migrations/search.ts'
import { BUSY_TIMEOUT_MS, createEmpty, createFile, openFile, refuseHardLinks } from './sqlite.ts'
import { noStoreError } from './store-url.ts'
import type { Db } from './tables.ts'
import type { Versioned } from './write.ts'

export interface Writable {
  db: Db
  database: DatabaseSync
}

/** Opens the writing connection, and migrates the tables. */
export function openToWrite(file: string): Promise<Writable> {
  return openAndPrepare((db) => migrate(db, 'sqlite'), file)
}

/** Opens a connection for a command, and creates missing tables. @throws if they belong to another release */
export function openForCommand(file: string): Promise<Writable> {
  return openAndPrepare((db) => migrateIfNew(db, 'sqlite', `at ${file}`), file)
}

async function openAndPrepare(
  prepare: (db: Db, database: DatabaseSync) => Promise<void>,
  file: string,
  database = openFile(file, 'write'),
): Promise<Writable> {
  const db: Db = new Kysely({ dialect: new NodeSqliteDialect(database) })
  try {
    await prepare(db, database)
  } catch (error) {
    database.close()
    throw error
  }
  return { db, database }
}

/**
 * Opens a connection that can write. If all its transactions are rolled back, the file stays unchanged.
 * @throws if there is no store, or it belongs to another release
 */
export async function openUnchanged(file: string): Promise<Db> {
  if (!existsSync(file)) throw noStoreError(`at ${file}`)
  // Does not use `openFile`, which switches the file to WAL.
  const database = createFile(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  return (await openAndPrepare((db) => requireCurrent(db, 'sqlite', `at ${file}`), file, database)).db
}

/**
 * Opens a file that `prepareFile` has prepared. Checkpoints the WAL with a sync, because the contents of the
 * disk are unknown after a failed sync until the next checkpoint.
 * @throws if the checkpoint fails
 */
export function openCheckpointed(file: string): Promise<Writable> {
  return openAndPrepare(async (_, database) => database.exec('pragma wal_checkpoint(truncate)'), file)
}

/** Larger files are not checked at a start, because a check of 150 MB would delay it by a second. */
const MAX_CHECKED_BYTES = 64 * 2 ** 20

/** Checks, migrates and checkpoints a file before it is served. @throws if it is damaged or not writable */
export async function prepareFile(file: string): Promise<void> {
  try {
    // SQLite would open a read-only file without an error, and would fail only at the first change.
    accessSync(file, constants.W_OK)
    const { database } = await openAndPrepare(async (db, opened) => {
      refuseDamage(opened, file)
      await migrate(db, 'sqlite')
      opened.exec('pragma wal_checkpoint(truncate)')
    }, file)
    database.close()
  } catch (cause) {
    throw new Error(`${file} cannot be served: ${(cause as Error).message}`, { cause })
  }
}

function refuseDamage(database: DatabaseSync, file: string): void {
  if (statSync(file).size > MAX_CHECKED_BYTES) return
  const found = String(database.prepare('pragma integrity_check(1)').get()?.integrity_check)
  if (found !== 'ok') throw new Error(`it is damaged (${found.replace(/\s+/g, ' ')}); restore a backup`)
}

export interface Reader {
  db: Db
  /** Changes when any process has changed cached data, or committed. Reads the file once per turn at most. */
  version(of: Versioned): number
  /** Call this after a commit of this process, so the next `version` reads the file again. */
  committed(): void
  close(): void
}

/** Opens a reading connection. With WAL, it reads the latest commit during the write of another one. */
export function openToRead(file: string): Reader {
  const database = openFile(file, 'read')
  const dataVersion = database.prepare('pragma data_version')
  const revision = database.prepare('select pages, keys from revision')
  let committed: unknown
  // This first read creates the WAL file. The file then stays.
  let current: Record<string, unknown> = revision.get() ?? {}
  let isCurrent = false
  const refresh = (): void => {
    // Reading the data version, which has usually not changed, is cheap: SQLite reads no page of the file.
    const last = dataVersion.get()?.data_version
    if (last !== committed) {
      current = revision.get() ?? {}
      committed = last
    }
    isCurrent = true
    // One refresh is enough for all requests of a turn, because they were sent before the turn began.
    setImmediate(() => {
      isCurrent = false
    })
  }
  return {
    db: new Kysely({ dialect: new NodeSqliteDialect(database) }),
    version(of) {
      if (!isCurrent) refresh()
      return Number(of === 'commits' ? committed : current[of])
    },
    committed() {
      isCurrent = false
    },
    close: () => database.close(),
  }
}

/**
 * Reserves a file for this process. Either one process serves the file and has the counters in its memory, or
 * all processes that serve it share their counters. The lock ends with the process.
 * @param shared whether the counters are shared in Redis
 * @returns a function that releases the file
 * @throws if another process has claimed it
 */
export function claimFile(file: string, shared = false): () => void {
  const lock = createFile(`${file}.lock`, { timeout: 0 })
  try {
    // After a transaction has read, it has a shared lock, which excludes exclusive locks.
    const begin = shared ? 'begin; select name from sqlite_master' : 'begin exclusive'
    lock.exec(`pragma journal_mode = memory; ${begin}`)
  } catch (cause) {
    lock.close()
    throw new Error(`another adoptable already serves ${file}; stop it first, or set REDIS_URL in both`, {
      cause,
    })
  }
  return () => lock.close()
}

/**
 * Resolves symbolic links, and creates a missing file. SQLite puts the WAL file, and this module the lock
 * file, in the folder of the resolved file.
 * @throws if the file has hard links
 */
export function resolveFile(named: string): string {
  createEmpty(named)
  const file = realpathSync(named)
  refuseHardLinks(file)
  return file
}

/** Identifies the file that was opened. Structured-cloneable. */
export interface ServedFile {
  file: string
  /** Device and inode by file name. Undefined for a file that did not exist. */
  ids: Record<string, string | undefined>
}

/** The names of the files: the database itself, and the WAL with the latest changes. */
const SUFFIXES = ['', '-wal']

export function identifyFile(file: string): ServedFile {
  return { file, ids: Object.fromEntries(SUFFIXES.map((suffix) => [file + suffix, idOf(file + suffix)])) }
}

function idOf(name: string): string | undefined {
  const found = statSync(name, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** @returns why the file may no longer be written; undefined while it is unchanged */
export function findLoss({ ids }: ServedFile): string | undefined {
  for (const [name, id] of Object.entries(ids)) {
    if (id === undefined) continue
    const now = idOf(name)
    if (now === undefined) return `${name} is gone: put it back, or stop the service and restore a backup`
    if (now !== id) return `${name} was replaced by another file: restart the service to serve the new one`
  }
}

const CHECK_INTERVAL_MS = 250

export interface FileWatch {
  /** @throws {ApiError} service_unavailable while the file is not in place */
  requirePresent(): void
  close(): void
}

/**
 * Checks several times a second that a file is in place, because SQLite keeps using a deleted one.
 * @param onChange called with the reason when the file is lost, and with undefined when it is back
 */
export function watchFile(served: ServedFile, onChange: (loss: string | undefined) => void): FileWatch {
  let loss: string | undefined
  const timer = setInterval(() => {
    const now = findLossOrError(served)
    if (now !== loss) onChange(now)
    loss = now
  }, CHECK_INTERVAL_MS).unref()
  return {
    requirePresent() {
      if (loss !== undefined) throw lossError(loss)
    },
    close: () => clearInterval(timer),
  }
}

/** Returns the reason if the file is lost. A file that cannot be checked counts as lost. */
function findLossOrError(served: ServedFile): string | undefined {
  try {
    return findLoss(served)
  } catch (error) {
    return (error as Error).message
  }
}

/** @throws {ApiError} service_unavailable if the file is not in place */
export function requireInPlace(served: ServedFile): void {
  const loss = findLossOrError(served)
  if (loss !== undefined) throw lossError(loss)
}

function lossError(loss: string): ApiError {
  return new ApiError('service_unavailable', { cause: new Error(loss) })
}

/**
 * Rewrites the file, so no bytes of erased data remain. `secure_delete` overwrites a deleted row, but not the
 * copies that SQLite leaves between rows when it moves them.
 * @throws if another process is reading an earlier state; nothing is rewritten then, because changes would
 *   have to wait
 */
export function scrubSqlite(database: DatabaseSync): void {
  truncateWal(database)
  // If the row is missing, the file needs a rewrite, because no code could have set the flag.
  const flags = database.prepare('select animals_scrub_due as due from known_time').get()
  if (flags?.due !== 0) database.exec(MERGE_TOKENS)
  database.exec('vacuum')
  truncateWal(database)
}

function truncateWal(database: DatabaseSync): void {
  database.exec('pragma busy_timeout = 0')
  const { busy } = database.prepare('pragma wal_checkpoint(truncate)').get() ?? {}
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  if (busy) throw new Error('another process is reading an earlier state of the store; try again later')
}
