import type { DatabaseSync } from 'node:sqlite'
import { BUSY_TIMEOUT_MS } from './sqlite.ts'

/**
 * Leaves no byte of what was erased. `secure_delete` clears what a row took, but not the copies of it that
 * SQLite leaves between the rows of a page when it moves them.
 *
 * @throws when somebody reads an earlier state: nothing is written anew then, for which changes would wait
 */
export function scrubSqlite(database: DatabaseSync): void {
  emptyLog(database)
  database.exec('vacuum')
  emptyLog(database)
}

function emptyLog(database: DatabaseSync): void {
  database.exec('pragma busy_timeout = 0')
  const { busy } = database.prepare('pragma wal_checkpoint(truncate)').get() ?? {}
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  if (busy) throw new Error('another process reads an earlier state of the store, which the log has to hold')
}
