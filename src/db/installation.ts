import { randomBytes } from 'node:crypto'
import { type BigIntStats, statSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** What a store knows of itself at a start. */
export interface Installation {
  /** Tells its counters from those of other stores in one Redis. */
  id: string
  /** Whether it was found to be a copy of another store just now. */
  copied: boolean
  /** Where its counters are shared, without user and password; null where they are not. */
  counterStore: string | null
}

/**
 * Finds the store unchanged since its last start, as it mostly is: then nothing has to be written.
 *
 * @returns undefined when `identifyInstallation` has to decide
 */
export async function findInstallation(
  db: Db,
  home: string,
  counterStore: string | null,
): Promise<Installation | undefined> {
  const found = await db
    .selectFrom('installation')
    .select(['id', 'home', 'counter_store'])
    .executeTakeFirstOrThrow()
  const isSame = found.home === home && (found.counter_store ?? counterStore) === found.counter_store
  if (found.id === null || !isSame) return undefined
  return { id: found.id, copied: false, counterStore: found.counter_store }
}

/**
 * Identifies the store at a start. One that lies elsewhere than it remembers is a copy: it counts on its own
 * from now on, and belongs to no counter store yet. Of several that start at once the first decides.
 *
 * @param home where the store lies now
 * @param counterStore which one it is to remember, if it remembers none
 */
export async function identifyInstallation(
  db: Db,
  home: string,
  counterStore: string | null,
): Promise<Installation> {
  const known = await findInstallation(db, home, counterStore)
  if (known) return known
  // The update holds the row until the end of the transaction, on either engine.
  const found = await db
    .updateTable('installation')
    .set((eb) => ({ only_row: eb.ref('only_row') }))
    .returning(['id', 'home', 'counter_store'])
    .executeTakeFirstOrThrow()
  const stays = found.id !== null && found.home !== null && isSameHome(found.home, home)
  const id = (stays ? found.id : null) ?? newId()
  const remembered = (stays ? found.counter_store : null) ?? counterStore
  await db.updateTable('installation').set({ id, home, counter_store: remembered }).execute()
  return { id, copied: !stays && found.id !== null, counterStore: remembered }
}

export function newId(): string {
  return randomBytes(8).toString('hex')
}

/** A number, and behind a colon what tells two of the same number apart, where that can be known. */
function isSameHome(one: string, other: string): boolean {
  const [[number, detail], [otherNumber, otherDetail]] = [one.split(':'), other.split(':')]
  return number === otherNumber && (detail === otherDetail || !detail || !otherDetail)
}

/** Another file has another inode, or was made at another time; a reboot or another name change neither. */
export function homeOfFile(file: string): string {
  const { ino, birthtimeNs, ctimeNs }: BigIntStats = statSync(file, { bigint: true })
  // Where a file system keeps no time of birth, Node tells 0, or the time of the last change.
  return birthtimeNs === 0n || birthtimeNs === ctimeNs ? `${ino}` : `${ino}:${birthtimeNs}`
}

/** A copy is in another database, or on another server; a standby that takes over is the same store. */
export async function homeOfDatabase(db: Db): Promise<string> {
  const { rows } = await sql<{ oid: string; allowed: boolean }>`
    select oid::text as oid, has_function_privilege('pg_control_system()', 'execute') as allowed
    from pg_database where datname = current_database()
  `.execute(db)
  const [{ oid, allowed } = { oid: '', allowed: false }] = rows
  if (!allowed) return oid
  const control = await sql<{ server: string }>`
    select system_identifier::text as server from pg_control_system()
  `.execute(db)
  return `${oid}:${control.rows[0]?.server}`
}
