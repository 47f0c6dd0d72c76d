import type { Changes } from './change.ts'
import type { Database, OpenOptions } from './database.ts'
import { homeOfFile } from './installation.ts'
import {
  claimFile,
  identifyFile,
  openForCommand as openSqlite,
  openToRead,
  openUnchanged,
  prepareFile,
  type Reader,
  requireInPlace,
  resolveFile,
  type ServedFile,
  scrubSqlite,
  watchFile,
} from './open-sqlite.ts'
import { openFile } from './sqlite.ts'
import { fileOf, isPostgres } from './store-url.ts'
import type { Db } from './tables.ts'
import { transactionWriter, type Writer } from './write.ts'
import { fileWriter } from './writer.ts'

/** Opens, migrates and, unless it is shared, claims a store. @throws if another process serves it */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  return isPostgres(url) ? (await postgres()).servePostgres(url, options) : serveSqlite(fileOf(url), options)
}

/**
 * Opens a store for a command, whether or not a service is using it, and creates a missing one.
 * @param changes the changes that the command makes
 * @throws if the store belongs to another release
 */
export async function openForCommand(url: string, changes: Changes = {}): Promise<Writer & { db: Db }> {
  const db = isPostgres(url)
    ? await (await postgres()).openForCommand(url)
    : (await openSqlite(fileOf(url))).db
  return { db, ...transactionWriter(db, changes) }
}

/** Opens a store for a command that rolls everything back. @throws if it is missing or of another release */
export async function openForTrial(url: string, changes: Changes): Promise<Writer & { db: Db }> {
  const db = await (isPostgres(url) ? (await postgres()).openUnchanged(url) : openUnchanged(fileOf(url)))
  return { db, ...transactionWriter(db, changes) }
}

/**
 * Rewrites the files of the store after a command erased something, so no bytes of it remain.
 * @returns false if a service uses the store; it scrubs the store itself in its next round of jobs
 * @throws if another process is reading the store; try again later
 */
export async function scrubStore(url: string): Promise<boolean> {
  if (isPostgres(url)) {
    await (await postgres()).scrubPostgres(url)
    return true
  }
  const file = resolveFile(fileOf(url))
  const release = tryClaim(file)
  if (!release) return false
  const database = openFile(file, 'write')
  try {
    scrubSqlite(database)
    return true
  } finally {
    database.close()
    release()
  }
}

function tryClaim(file: string): (() => void) | undefined {
  try {
    return claimFile(file)
  } catch {
    return undefined
  }
}

/** Loads the PostgreSQL driver only if it is used. */
function postgres() {
  return import('./serve-postgres.ts')
}

async function serveSqlite(named: string, { shared, onLoss, startWriter }: OpenOptions): Promise<Database> {
  const file = resolveFile(named)
  const release = claimFile(file, shared)
  const { reader, served } = await openServed(file).catch((error) => {
    release()
    throw error
  })
  const watch = watchFile(served, onLoss)
  const writer = fileWriter(startWriter, served, reader.committed)
  return {
    ...writer,
    db: reader.db,
    home: homeOfFile(file),
    async ready() {
      requireInPlace(served)
      await writer.ready()
    },
    version(of) {
      watch.requirePresent()
      return reader.version(of)
    },
    async close() {
      watch.close()
      // Closes the reader first. The writer is then the last connection and can checkpoint the WAL.
      reader.close()
      await writer.close()
      release()
    },
  }
}

/** @throws if the file cannot be served, or is replaced while it is opened */
async function openServed(file: string): Promise<{ reader: Reader; served: ServedFile }> {
  const before = identifyFile(file)
  await prepareFile(file)
  const reader = openToRead(file)
  const served = identifyFile(file)
  if (served.ids[file] === before.ids[file]) return { reader, served }
  reader.close()
  throw new Error(`${file} was replaced while the service started; start the service again`)
}
