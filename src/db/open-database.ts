import type { Changes } from './change.ts'
import type { Database, OpenOptions } from './database.ts'
import { homeOfFile } from './installation.ts'
import {
  claimFile,
  openAsItIs,
  openForCommand as openSqlite,
  openToRead,
  prepareFile,
  type Reader,
} from './open-sqlite.ts'
import { scrubSqlite } from './scrub-sqlite.ts'
import { realFile, requireThere, type ServedFile, servedFile, watchFile } from './served-file.ts'
import { openFile } from './sqlite.ts'
import { fileOf, isPostgres } from './store-url.ts'
import type { Db } from './tables.ts'
import { transactionWriter, type Writer } from './write.ts'
import { fileWriter } from './writer.ts'

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
 * @param changes those that the command may make
 * @throws when it is not of this release
 */
export async function openForCommand(url: string, changes: Changes = {}): Promise<Writer & { db: Db }> {
  const db = isPostgres(url)
    ? await (await postgres()).openForCommand(url)
    : (await openSqlite(fileOf(url))).db
  return { db, ...transactionWriter(db, changes) }
}

/**
 * Opens the store for a command that changes nothing in it, and takes back what it tries.
 *
 * @throws when there is none, or it is not of this release
 */
export async function openForTrial(url: string, changes: Changes): Promise<Writer & { db: Db }> {
  const db = await (isPostgres(url) ? (await postgres()).openAsItIs(url) : openAsItIs(fileOf(url)))
  return { db, ...transactionWriter(db, changes) }
}

/**
 * For a command that erased something: writes anew what holds bytes of it.
 *
 * @returns false while a service has the store, which does it itself with its next round
 * @throws when somebody uses or reads it just now: it is to be tried again
 */
export async function scrubStore(url: string): Promise<boolean> {
  if (isPostgres(url)) {
    await (await import('./scrub-postgres.ts')).scrubPostgres(url)
    return true
  }
  const file = realFile(fileOf(url))
  const release = claimed(file)
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

function claimed(file: string): (() => void) | undefined {
  try {
    return claimFile(file)
  } catch {
    return undefined
  }
}

/** Its driver is loaded by those alone who use it. */
function postgres() {
  return import('./serve-postgres.ts')
}

async function serveSqlite(named: string, { shared, onLoss, startWriter }: OpenOptions): Promise<Database> {
  const file = realFile(named)
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
      requireThere(served)
      await writer.ready()
    },
    version(of) {
      watch.requireThere()
      return reader.version(of)
    },
    async close() {
      watch.close()
      // The reader first: the writer, as the last connection, can then fold the WAL into the file.
      reader.close()
      await writer.close()
      release()
    },
  }
}

/** @throws when the file cannot be served, or is not the same one throughout */
async function openServed(file: string): Promise<{ reader: Reader; served: ServedFile }> {
  const before = servedFile(file)
  await prepareFile(file)
  const reader = openToRead(file)
  const served = servedFile(file)
  if (served.ids[file] === before.ids[file]) return { reader, served }
  reader.close()
  throw new Error(`${file} was replaced while the service started: start it again`)
}
