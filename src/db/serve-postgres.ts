import type pg from 'pg'
import { CLAIM, type Database } from './database.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import type { Db } from './tables.ts'
import { watchPostgres } from './watch-postgres.ts'
import { transactionWriter } from './write.ts'

const COMMAND_CONNECTIONS = 2

/** For a command: its tables are brought up to date. */
export async function openMigrated(url: string): Promise<Db> {
  const db = openPostgres(url, { connections: COMMAND_CONNECTIONS, patient: true })
  try {
    await migrate(db, 'postgres')
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** As `openDatabase`. */
export async function servePostgres(
  url: string,
  { connections, shared }: { connections: number; shared: boolean },
): Promise<Database> {
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

/** Held for as long as the connection lives. @returns false when another process holds it */
async function claimDatabase(client: pg.Client, shared: boolean): Promise<boolean> {
  const lock = shared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  const { rows } = await client.query<{ held: boolean }>(`select ${lock}($1) as held`, [CLAIM])
  return rows[0]?.held === true
}
