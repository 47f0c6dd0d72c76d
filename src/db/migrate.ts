import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { MIGRATIONS } from './migrations/all.ts'
import { noStore } from './no-store.ts'
import type { Db } from './tables.ts'

type Engine = keyof typeof MIGRATIONS

function migratorOf(db: Db, engine: Engine): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS[engine] } })
}

/**
 * Brings the tables up to date, in one transaction: a kill at any point leaves the old ones whole.
 *
 * @throws when one fails, or when the store was written by a newer release
 */
export async function migrate(db: Db, engine: Engine): Promise<void> {
  const { error } = await migratorOf(db, engine).migrateToLatest()
  if (!error) return
  // A store that could not be made, as on a full disk, has no migrations to read.
  if (!(await isNew(db, engine))) await refuseNewer(db, engine)
  throw error
}

/** @throws when a release that is newer than this one has changed the tables */
async function refuseNewer(db: Db, engine: Engine, location = 'here'): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const newer = rows.find(({ name }) => !(name in MIGRATIONS[engine]))
  if (newer === undefined) return
  const found = `the store ${location} is of a newer release (${newer.name})`
  throw new Error(`${found}: take that one, or restore a backup`)
}

/**
 * For a command, beside which the release of the store may be at work: only a new store gets its tables.
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
 * For who may not change the tables.
 *
 * @param location where the store should be, for the message
 * @throws when it has not exactly the tables of this release
 */
export async function requireCurrent(db: Db, engine: Engine, location: string): Promise<void> {
  const migrations = await migratorOf(db, engine).getMigrations()
  const done = migrations.filter(({ executedAt }) => executedAt !== undefined).length
  if (done === 0) throw noStore(location)
  if (done < migrations.length) {
    const upgrade = 'back it up, and start the service once, which brings it up to date'
    throw new Error(`the store ${location} is of an older release: ${upgrade}`)
  }
  await refuseNewer(db, engine, location)
}
