import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { MIGRATIONS } from './migrations/all.ts'
import { noStoreError } from './store-url.ts'
import type { Db } from './tables.ts'

type Engine = keyof typeof MIGRATIONS

/**
 * Runs all pending migrations in one transaction, so a killed process leaves the old tables intact.
 * @throws if a migration fails, or a newer release has changed the tables
 */
export async function migrate(db: Db, engine: Engine): Promise<void> {
  const names = await readNames(db, engine)
  refuseNewer(names, engine)
  if (names.length === Object.keys(MIGRATIONS[engine]).length) return
  const provider = { getMigrations: async () => MIGRATIONS[engine] }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error) throw error
}

/**
 * Reads which migrations were run; none if the store is new. Kysely's own list first describes all tables of
 * the database, which takes longer than the rest of a start.
 */
async function readNames(db: Db, engine: Engine): Promise<string[]> {
  const found =
    engine === 'sqlite'
      ? sql`select name from sqlite_master where name = 'kysely_migration'`
      : sql`select 1 where to_regclass('kysely_migration') is not null`
  if ((await found.execute(db)).rows.length === 0) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name)
}

/** @throws if a newer release has changed the tables */
function refuseNewer(names: string[], engine: Engine, location = 'here'): void {
  const newer = names.find((name) => !(name in MIGRATIONS[engine]))
  if (newer === undefined) return
  const problem = `the store ${location} belongs to a newer release (${newer})`
  throw new Error(`${problem}: run that release, or restore a backup`)
}

/**
 * Creates the tables of a new store. A command does not migrate an existing store, because a service of an
 * older release may be using it.
 * @throws as `requireCurrent`
 */
export async function migrateIfNew(db: Db, engine: Engine, location: string): Promise<void> {
  const names = await readNames(db, engine)
  await (names.length === 0 ? migrate(db, engine) : requireCurrent(db, engine, location))
}

/**
 * Checks the tables without changing them.
 * @param location the place of the store, for the message: `at FILE` or `in URL`
 * @throws if the store does not have exactly the tables of this release
 */
export async function requireCurrent(db: Db, engine: Engine, location: string): Promise<void> {
  const names = await readNames(db, engine)
  if (names.length === 0) throw noStoreError(location)
  const isOlder = Object.keys(MIGRATIONS[engine]).some((name) => !names.includes(name))
  if (isOlder) {
    const upgrade = 'back it up, then start the service once, which updates it'
    throw new Error(`the store ${location} belongs to an older release: ${upgrade}`)
  }
  refuseNewer(names, engine, location)
}
