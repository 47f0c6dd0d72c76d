import {
  claimFile,
  fileOf,
  openAsItIs,
  openForCommand as openSqlite,
  openToRead,
  prepareFile,
} from './open-sqlite.ts'
import type { Db } from './tables.ts'
import { transactionWriter, type Writer } from './write.ts'
import { type Changes, threadWriter } from './writer.ts'

/** What a process keeps ready until the store has changed: pages of animals, and keys. */
export type Kept = 'pages' | 'keys'

/** The database as the service works with it, whichever engine it is. */
export interface Database extends Writer {
  /** For reading. */
  db: Db
  /** Differs when one of those may have changed since; what was read under an equal one is still true. */
  version(of: Kept): number
}

export interface OpenOptions {
  /** Connections to PostgreSQL at most. */
  connections: number
  /** Whether other processes serve the same store: they then share their counters somewhere else. */
  shared: boolean
  /** Ends that wait. */
  signal: AbortSignal | undefined
  /** Hears why the start has to wait for PostgreSQL, each time it was asked in vain. */
  onWait(reason: unknown): void
  /** What the embedded database's writer thread runs, and the module that starts it. */
  changes: Changes
  thread: URL
}

/**
 * Opens the store for serving it, brings its tables up to date, and claims it unless it is shared.
 *
 * @throws when another process serves it
 */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  return isPostgres(url) ? (await postgres()).servePostgres(url, options) : serveSqlite(fileOf(url), options)
}

/**
 * Opens the store for a command, beside a service or not, and makes it where there is none.
 *
 * @throws when it is not of this release
 */
export async function openForCommand(url: string): Promise<Writer & { db: Db }> {
  const db = isPostgres(url)
    ? await (await postgres()).openForCommand(url)
    : (await openSqlite(fileOf(url))).db
  return { db, ...transactionWriter(db) }
}

/**
 * Opens the store for a command that changes nothing in it, and takes back what it tries.
 *
 * @throws when there is none, or it is not of this release
 */
export async function openForTrial(url: string): Promise<Writer & { db: Db }> {
  const db = await (isPostgres(url) ? (await postgres()).openAsItIs(url) : openAsItIs(fileOf(url)))
  return { db, ...transactionWriter(db) }
}

/** Its driver is loaded by those alone who use it. */
function postgres() {
  return import('./serve-postgres.ts')
}

export function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url)
}

async function serveSqlite(file: string, { shared, changes, thread }: OpenOptions): Promise<Database> {
  const release = claimFile(file, shared)
  try {
    await prepareFile(file)
  } catch (error) {
    release()
    throw error
  }
  const reader = openToRead(file)
  const writer = threadWriter(thread, file, changes, reader.committed)
  return {
    ...writer,
    db: reader.db,
    version: reader.version,
    async close() {
      // The reader first: the writer, as the last connection, can then fold the WAL into the file.
      reader.close()
      await writer.close()
      release()
    },
  }
}
