import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { BackupTask } from './backup.ts'
import { openFile } from './sqlite.ts'

// The thread of a backup, and all of it: backup.ts starts it.
parentPort?.postMessage(copy(workerData))

/**
 * `VACUUM INTO` reads one snapshot, beside which the service writes on, and writes rows only: a copy of the
 * pages would hold what was erased, and would begin anew whenever somebody writes.
 */
function copy({ store, part }: BackupTask): number {
  const from = openFile(store, 'read')
  try {
    from.prepare('vacuum into ?').run(part)
  } finally {
    from.close()
  }
  // On a connection that only reads, SQLite leaves the CHECK constraints out of its check.
  const made = new DatabaseSync(part)
  try {
    const found = made.prepare('pragma integrity_check(1)').get()?.integrity_check
    if (found !== 'ok') throw new Error(`the copy is damaged, and so is the store: ${found}`)
    forgetHome(made)
    return Number(made.prepare('select count(*) as pets from pet').get()?.pets)
  } finally {
    made.close()
  }
}

/** Put in the place of another store, in the same file, it would else be taken for that one. */
function forgetHome(made: DatabaseSync): void {
  const has = made.prepare(`select name from sqlite_schema where name = 'installation'`).get()
  // There is no such table in a store of an older release.
  if (has) made.exec('update installation set home = null')
}
