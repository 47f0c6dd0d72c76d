import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { MIGRATIONS } from './migrations/all.ts'
import { noStore } from './no-store.ts'
import type { Db } from './tables.ts'

type Engine = keyof typeof MIGRATIONS

/** The steps that became 0001-tables, of a store that was made before the first release. */
export const MERGED = [
  '0001-first',
  '0002-pages',
  '0003-pet-changes',
  '0004-category-names',
  '0005-idempotency',
  '0006-orders',
  '0007-inventory',
  '0008-revision',
  '0009-pet-sources',
  '0011-installation',
  '0012-known-time',
  '0013-order-indexes',
  '0014-imported-files',
]

function migratorOf(db: Db, engine: Engine): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS[engine] } })
}

/**
 * Brings the tables up to date, in one transaction: a kill at any point leaves the old ones whole.
 *
 * @throws when one fails, or when the store was written by a newer release
 */
export async function migrate(db: Db, engine: Engine): Promise<void> {
  if (engine === 'sqlite') await mergeFirstSteps(db)
  const { error } = await migratorOf(db, engine).migrateToLatest()
  if (!error) return
  // A store that could not be made, as on a full disk, has no migrations to read.
  if (!(await isNew(db, engine))) await refuseNewer(db, engine)
  throw error
}

/** The steps have made the same tables: what changes is the record of them. @throws when some lack */
async function mergeFirstSteps(db: Db): Promise<void> {
  const seen = await firstStepsIn(db)
  if (seen.length === 0) return
  await refuseNewer(db, 'sqlite')
  if (seen.length < MERGED.length) {
    throw new Error(
      `the store was made by a version before 1.0.0 (${seen.at(-1)}), from which no way leads here: export its ` +
        'animals with that one, and import them into a new store',
    )
  }
  await db.transaction().execute(async (inside) => {
    await sql`delete from kysely_migration where name in (${sql.join(MERGED)})`.execute(inside)
    const at = new Date(0).toISOString()
    await sql`insert into kysely_migration (name, timestamp) values ('0001-tables', ${at})`.execute(inside)
  })
}

/** Those of the merged steps that a store of SQLite has seen, in their order. */
async function firstStepsIn(db: Db): Promise<string[]> {
  const record = await sql`select name from sqlite_schema where name = 'kysely_migration'`.execute(db)
  if (record.rows.length === 0) return []
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration where name in (${sql.join(MERGED)}) order by name
  `.execute(db)
  return rows.map(({ name }) => name)
}

/** @throws when a release that is newer than this one has changed the tables */
async function refuseNewer(db: Db, engine: Engine, location = 'here'): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const newer = rows.find(({ name }) => !(name in MIGRATIONS[engine]) && !MERGED.includes(name))
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

async function isBeforeMerge(db: Db, engine: Engine): Promise<boolean> {
  return engine === 'sqlite' && (await firstStepsIn(db)).length > 0
}

async function isNew(db: Db, engine: Engine): Promise<boolean> {
  if (await isBeforeMerge(db, engine)) return false
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
  const isOld = await isBeforeMerge(db, engine)
  if (done === 0 && !isOld) throw noStore(location)
  if (done < migrations.length) {
    const upgrade = 'back it up, and start the service once, which brings it up to date'
    throw new Error(`the store ${location} is of an older release: ${upgrade}`)
  }
  await refuseNewer(db, engine, location)
}
