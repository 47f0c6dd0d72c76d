import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { MIGRATIONS } from './migrations/all.ts'
import { noStoreError } from './store-url.ts'
import type { Db } from './tables.ts'

type Engine = keyof typeof MIGRATIONS

function migratorOf(db: Db, engine: Engine): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS[engine] } })
}

/**
 * Runs all pending migrations in one transaction. If the process is killed, the old tables stay intact.
 *
 * @throws if a migration fails, or a newer release has changed the tables
 */
export async function migrate(db: Db, engine: Engine): Promise<void> {
  const { error } = await migratorOf(db, engine).migrateToLatest()
  if (!error) return
  // If the store could not be created, for example on a full disk, there are no migrations to read.
  if (!(await isNew(db, engine))) await refuseNewer(db, engine)
  throw error
}

/** @throws if a newer release has changed the tables */
async function refuseNewer(db: Db, engine: Engine, location = 'here'): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const newer = rows.find(({ name }) => !(name in MIGRATIONS[engine]))
  if (newer === undefined) return
  const problem = `the store ${location} belongs to a newer release (${newer.name})`
  throw new Error(`${problem}: run that release, or restore a backup`)
}

/**
 * Creates the tables of a new store. A command does not migrate an existing store, because a service of an
 * older release may be using that store.
 *
 * @throws as `requireCurrent`
 */
export async function migrateIfNew(db: Db, engine: Engine, location: string): Promise<void> {
  await ((await isNew(db, engine)) ? migrate(db, engine) : requireCurrent(db, engine, location))
}

async function isNew(db: Db, engine: Engine): Promise<boolean> {
  const migrations = await migratorOf(db, engine).getMigrations()
  return migrations.every(({ executedAt }) => executedAt === undefined)
}

/**
 * Checks the tables without changing them.
 *
 * @param location the place of the store, for the message: `at FILE` or `in URL`
 * @throws if the store does not have exactly the tables of this release
 */
export async function requireCurrent(db: Db, engine: Engine, location: string): Promise<void> {
  const migrations = await migratorOf(db, engine).getMigrations()
  const done = migrations.filter(({ executedAt }) => executedAt !== undefined).length
  if (done === 0) throw noStoreError(location)
  if (done < migrations.length) {
    const upgrade = 'back it up, then start the service once, which updates it'
    throw new Error(`the store ${location} belongs to an older release: ${upgrade}`)
  }
  await refuseNewer(db, engine, location)
}
