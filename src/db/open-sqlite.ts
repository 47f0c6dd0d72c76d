import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { migrate } from './migrate.ts'
import { createFile, NodeSqliteDialect, openFile } from './sqlite.ts'
import type { Db } from './tables.ts'

/** The file that a database URL such as sqlite:data/adoptable.db names. */
export function fileOf(databaseUrl: string): string {
  return databaseUrl.slice('sqlite:'.length)
}

/** The one connection that may write; the tables are brought up to date first. */
export async function openToWrite(file: string): Promise<{ db: Db; database: DatabaseSync }> {
  const database = openFile(file, 'write')
  const db: Db = new Kysely({ dialect: new NodeSqliteDialect(database) })
  try {
    await migrate(db, 'sqlite')
  } catch (error) {
    database.close()
    throw error
  }
  return { db, database }
}

export interface Reader {
  db: Db
  /**
   * Changes whenever anybody, here or in another process, has committed; at most one look a turn of
   * the event loop.
   */
  version(): number
  close(): void
}

/** A connection that only reads: WAL lets it read the last commit while the next one is being written. */
export function openToRead(file: string): Reader {
  const database = openFile(file, 'read')
  const dataVersion = database.prepare('pragma data_version')
  let version: number | undefined
  const look = (): number => {
    // What arrives in one turn was sent before it began: the look of the first request serves them all.
    setImmediate(() => {
      version = undefined
    })
    version = Number(dataVersion.get()?.data_version)
    return version
  }
  return {
    db: new Kysely({ dialect: new NodeSqliteDialect(database) }),
    version: () => version ?? look(),
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
