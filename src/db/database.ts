import type pg from 'pg'
import { migrate } from './migrate.ts'
import { claimFile, fileOf, openToRead, openToWrite } from './open.ts'
import { openPostgres } from './postgres.ts'
import type { Db } from './tables.ts'
import { watchPostgres } from './watch-postgres.ts'
import { transactionWriter, type Writer } from './write.ts'
import { type Changes, threadWriter } from './writer.ts'

/** The database as the service works with it, whichever engine it is. */
export interface Database extends Writer {
  /** For reading. */
  db: Db
  /** Differs whenever anybody has committed since; what was read under an equal one is still true. */
  version(): number
}

interface Options {
  /** Connections to PostgreSQL at most. */
  connections: number
  /** Whether other processes serve the same store: they then share their counters somewhere else. */
  shared: boolean
  /** What the embedded database's writer thread runs, and the module that starts it. */
  changes: Changes
  thread: URL
}

/**
 * Opens the store for serving it, brings its tables up to date, and claims it unless it is shared.
 *
 * @throws when another process serves it
 */
export function openDatabase(url: string, options: Options): Promise<Database> {
  return isPostgres(url) ? servePostgres(url, options) : serveSqlite(fileOf(url), options)
}

/** Opens the store for a command, beside a service or not. The tables are brought up to date. */
export async function openForCommand(url: string): Promise<Writer & { db: Db }> {
  const db = isPostgres(url) ? await openMigrated(url) : (await openToWrite(fileOf(url))).db
  return { db, ...transactionWriter(db) }
}

export function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url)
}

async function serveSqlite(file: string, { shared, changes, thread }: Options): Promise<Database> {
  const release = claimFile(file, shared)
  try {
    const { database } = await openToWrite(file)
    database.close()
  } catch (error) {
    release()
    throw error
  }
  const writer = threadWriter(thread, file, changes)
  const reader = openToRead(file)
  return {
    ...writer,
    ...reader,
    async close() {
      // The reader first: the writer, as the last connection, can then fold the WAL into the file.
      reader.close()
      await writer.close()
      release()
    },
  }
}

const COMMAND_CONNECTIONS = 2

async function openMigrated(url: string): Promise<Db> {
  const db = openPostgres(url, { connections: COMMAND_CONNECTIONS, patient: true })
  try {
    await migrate(db, 'postgres')
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

async function servePostgres(url: string, { connections, shared }: Options): Promise<Database> {
  await (await openMigrated(url)).destroy()
  const watch = await watchPostgres(url, (client) => claimDatabase(client, shared))
  const db = openPostgres(url, { connections })
  const writer = transactionWriter(db, watch.bump)
  return {
    ...writer,
    db,
    version: watch.version,
    async close() {
      await watch.close()
      await db.destroy()
    },
  }
}

/** Any number that nothing else takes: a lock is one within its database. */
export const CLAIM = 7_219_411

/** Held for as long as the connection lives. @returns false when another process holds it */
async function claimDatabase(client: pg.Client, shared: boolean): Promise<boolean> {
  const lock = shared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  const { rows } = await client.query<{ held: boolean }>(`select ${lock}($1) as held`, [CLAIM])
  return rows[0]?.held === true
}
