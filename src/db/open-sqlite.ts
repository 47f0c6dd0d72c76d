import { accessSync, constants, existsSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import type { Kept } from './database.ts'
import { migrate, migrateIfNew, requireCurrent } from './migrate.ts'
import { noStore } from './no-store.ts'
import { BUSY_TIMEOUT_MS, createFile, NodeSqliteDialect, openFile } from './sqlite.ts'
import type { Db } from './tables.ts'

export interface Writable {
  db: Db
  database: DatabaseSync
}

/** The one connection that may write; the tables are brought up to date first. */
export function openToWrite(file: string): Promise<Writable> {
  return openAnd((db) => migrate(db, 'sqlite'), file)
}

/** One of a command; the tables are made where there are none. @throws when they are not of this release */
export function openForCommand(file: string): Promise<Writable> {
  return openAnd((db) => migrateIfNew(db, 'sqlite', `at ${file}`), file)
}

async function openAnd(
  prepare: (db: Db, database: DatabaseSync) => Promise<void>,
  file: string,
): Promise<Writable> {
  const database = openFile(file, 'write')
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
 * A connection that may write, and has not: whoever gives each transaction up leaves the file as it was.
 *
 * @throws when there is no store, or it is not of this release
 */
export async function openAsItIs(file: string): Promise<Db> {
  if (!existsSync(file)) throw noStore(`at ${file}`)
  const database = createFile(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
  const db: Db = new Kysely({ dialect: new NodeSqliteDialect(database) })
  try {
    await requireCurrent(db, 'sqlite', `at ${file}`)
    return db
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens a file that `prepareFile` made ready, and writes what is in its log into the file itself, synced. A sync
 * that failed before leaves it unknown what is on the disk; after this one it is known, or this throws.
 */
export function openSettled(file: string): Promise<Writable> {
  return openAnd(async (_, database) => database.exec('pragma wal_checkpoint(truncate)'), file)
}

/** What is larger is read through with each backup only: for 150 MB a start would take a second more. */
const MAX_CHECKED_BYTES = 64 * 2 ** 20

/**
 * Makes a file ready to be served, before anything answers from it.
 *
 * @throws when it is damaged, or cannot be used
 */
export async function prepareFile(file: string): Promise<void> {
  try {
    // SQLite opens a file that may only be read as well, and says so with the first change.
    accessSync(file, constants.W_OK)
    const { database } = await openAnd(async (db, opened) => {
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
  /**
   * Changes whenever what they are made of has changed, here or in another process; at most one look a turn
   * of the event loop.
   */
  version(of: Kept): number
  /** Something was committed here: what was seen in this turn counts no more. */
  committed(): void
  close(): void
}

/** A connection that only reads: WAL lets it read the last commit while the next one is being written. */
export function openToRead(file: string): Reader {
  const database = openFile(file, 'read')
  const dataVersion = database.prepare('pragma data_version')
  const revision = database.prepare('select pages, keys from revision')
  let committed: unknown
  // From the first read on the log is there, and stays.
  let current: Record<string, unknown> = revision.get() ?? {}
  let looked = false
  const look = (): void => {
    // The first look reads no page of the file, and mostly nobody has committed since the last one.
    const last = dataVersion.get()?.data_version
    if (last !== committed) {
      current = revision.get() ?? {}
      committed = last
    }
    looked = true
    // What arrives in one turn was sent before it began: the look of the first request serves them all.
    setImmediate(() => {
      looked = false
    })
  }
  return {
    db: new Kysely({ dialect: new NodeSqliteDialect(database) }),
    version(of) {
      if (!looked) look()
      return Number(current[of])
    },
    committed() {
      looked = false
    },
    close: () => database.close(),
  }
}

/**
 * Makes sure that one process alone serves a file, because its counters are in that process' memory, or only
 * processes that share their counters. The lock is the operating system's, so it ends with the process however
 * that ends.
 *
 * @returns a function that gives the file free
 * @throws when another process holds it
 */
export function claimFile(file: string, shared = false): () => void {
  const lock = createFile(`${file}.lock`, { timeout: 0 })
  try {
    // What has read holds a lock that others may hold too, and that keeps an exclusive one out.
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
