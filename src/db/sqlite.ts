import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'

/** How long a writer waits while another process, such as a command or a backup, has the lock. */
export const BUSY_TIMEOUT_MS = 5_000

/** The oldest safe version. Earlier ones can damage a WAL if two connections write and checkpoint at once. */
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

/** Opens a file, creating it as `createEmpty` does. SQLite's log gets the permissions of the file. */
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
  // Never opens an existing file: closing it would release all locks of this process on it (POSIX fcntl).
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
