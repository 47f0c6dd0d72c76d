import { randomBytes } from 'node:crypto'
import { type BigIntStats, statSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from './tables.ts'

/** The identity of a store, as a start reads it. */
export interface Installation {
  /** Separates the counters of this store from those of other stores in the same Redis. */
  id: string
  /** Whether this start found the store to be a copy of another one. */
  isCopy: boolean
  /** The Redis with the shared counters, without user and password. Null if the counters are not shared. */
  counterStore: string | null
}

/** The facts about the service that a start records. */
export interface InstallationState {
  home: string
  /** The counter store to record if none is recorded. */
  counterStore: string | null
  /** Whether the service has a mail server. */
  sendsEmail: boolean
}

/**
 * Reads the identity of a store. Usually nothing has changed since the last start, so it need not write.
 * @returns undefined if the state is not recorded yet: call `identifyInstallation`
 */
export async function findInstallation(
  db: Db,
  { home, counterStore, sendsEmail }: InstallationState,
): Promise<Installation | undefined> {
  const found = await db
    .selectFrom('installation')
    .select(['id', 'home', 'counter_store', 'sends_email'])
    .executeTakeFirstOrThrow()
  const isSame =
    found.home === home &&
    (found.counter_store ?? counterStore) === found.counter_store &&
    found.sends_email === Number(sendsEmail)
  if (found.id === null || !isSame) return undefined
  return { id: found.id, isCopy: false, counterStore: found.counter_store }
}

/**
 * Gives a new or copied store its id, and stores its location as its home. If the present location differs
 * from the stored home, the store is a copy. A copy gets a new id, so its counters are separate. If several
 * processes start at once, the first one decides.
 */
export async function identifyInstallation(db: Db, state: InstallationState): Promise<Installation> {
  const { home, counterStore, sendsEmail } = state
  const existing = await findInstallation(db, state)
  if (existing) return existing
  // On both engines, the update locks the row until the end of the transaction.
  const found = await db
    .updateTable('installation')
    .set((eb) => ({ only_row: eb.ref('only_row') }))
    .returning(['id', 'home', 'counter_store'])
    .executeTakeFirstOrThrow()
  const isSame = found.id !== null && found.home !== null && isSameHome(found.home, home)
  const id = (isSame ? found.id : null) ?? newId()
  const recorded = (isSame ? found.counter_store : null) ?? counterStore
  await db
    .updateTable('installation')
    .set({ id, home, counter_store: recorded, sends_email: Number(sendsEmail) })
    .execute()
  return { id, isCopy: !isSame && found.id !== null, counterStore: recorded }
}

export async function sendsEmail(db: Db): Promise<boolean> {
  const found = await db.selectFrom('installation').select('sends_email').executeTakeFirst()
  return found?.sends_email === 1
}

export function newId(): string {
  return randomBytes(8).toString('hex')
}

/** Compares homes: a number, optionally with a colon and a detail. A missing detail matches every one. */
function isSameHome(one: string, other: string): boolean {
  const [[number, detail], [otherNumber, otherDetail]] = [one.split(':'), other.split(':')]
  return number === otherNumber && (detail === otherDetail || !detail || !otherDetail)
}

/** Returns the inode and the creation time of the file. A reboot or a rename changes neither. */
export function homeOfFile(file: string): string {
  const { ino, birthtimeNs, ctimeNs }: BigIntStats = statSync(file, { bigint: true })
  // On a file system without creation times, Node returns 0 or the time of the latest change.
  return birthtimeNs === 0n || birthtimeNs === ctimeNs ? `${ino}` : `${ino}:${birthtimeNs}`
}

/** Returns the database's oid and the server's system identifier, which a standby that takes over shares. */
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
