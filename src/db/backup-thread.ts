import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { BackupTask } from './backup.ts'
import { openFile } from './sqlite.ts'

// Entry file of the backup thread, which backup.ts starts.
parentPort?.postMessage(copy(workerData))

/**
 * `VACUUM INTO` reads one snapshot while the service continues to write, and copies only rows. A copy of the
 * file's pages would contain erased data, and would start again after each write.
 * @returns the number of animals
 */
function copy({ store, part }: BackupTask): number {
  const from = openFile(store, 'read')
  try {
    from.prepare('vacuum into ?').run(part)
  } finally {
    from.close()
  }
  // Writable, because integrity_check skips the CHECK constraints on a read-only connection.
  const made = new DatabaseSync(part)
  try {
    const found = made.prepare('pragma integrity_check(1)').get()?.integrity_check
    if (found !== 'ok') throw new Error(`the copy is damaged, and so is the store: ${found}`)
    clearHome(made)
    return Number(made.prepare('select count(*) as pets from pet').get()?.pets)
  } finally {
    made.close()
  }
}

/** Clears the stored location, so a backup restored over another store is not mistaken for that store. */
function clearHome(made: DatabaseSync): void {
  const hasTable = made.prepare(`select name from sqlite_schema where name = 'installation'`).get()
  // A store of an older release does not have this table.
  if (hasTable) made.exec('update installation set home = null')
}
