import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import * as postgresFirst from './migrations/postgres/0001-first.ts'
import * as postgresPetSources from './migrations/postgres/0002-pet-sources.ts'
import * as postgresSettledPets from './migrations/postgres/0003-settled-pets.ts'
import * as first from './migrations/sqlite/0001-first.ts'
import * as pages from './migrations/sqlite/0002-pages.ts'
import * as petChanges from './migrations/sqlite/0003-pet-changes.ts'
import * as categoryNames from './migrations/sqlite/0004-category-names.ts'
import * as idempotency from './migrations/sqlite/0005-idempotency.ts'
import * as orders from './migrations/sqlite/0006-orders.ts'
import * as inventory from './migrations/sqlite/0007-inventory.ts'
import * as revision from './migrations/sqlite/0008-revision.ts'
import * as petSources from './migrations/sqlite/0009-pet-sources.ts'
import type { Db } from './tables.ts'

/** Every migration of each engine, in order. One that was released is never changed. */
const MIGRATIONS = {
  sqlite: {
    '0001-first': first,
    '0002-pages': pages,
    '0003-pet-changes': petChanges,
    '0004-category-names': categoryNames,
    '0005-idempotency': idempotency,
    '0006-orders': orders,
    '0007-inventory': inventory,
    '0008-revision': revision,
    '0009-pet-sources': petSources,
  },
  postgres: {
    '0001-first': postgresFirst,
    '0002-pet-sources': postgresPetSources,
    '0003-settled-pets': postgresSettledPets,
  },
}

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
  await refuseNewer(db, engine)
  throw error
}

/** @throws when a release that is newer than this one has changed the tables */
async function refuseNewer(db: Db, engine: Engine, place = 'here'): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const newer = rows.find(({ name }) => !(name in MIGRATIONS[engine]))
  if (newer === undefined) return
  const found = `the store ${place} is of a newer release (${newer.name})`
  throw new Error(`${found}: take that one, or restore a backup`)
}

/**
 * For a command, beside which the release of the store may be at work: only a new store gets its tables.
 *
 * @throws as `requireCurrent`
 */
export async function migrateIfNew(db: Db, engine: Engine, place: string): Promise<void> {
  await ((await isNew(db, engine)) ? migrate(db, engine) : requireCurrent(db, engine, place))
}

async function isNew(db: Db, engine: Engine): Promise<boolean> {
  const migrations = await migratorOf(db, engine).getMigrations()
  return migrations.every(({ executedAt }) => executedAt === undefined)
}

/**
 * For who may not change the tables.
 *
 * @param place where the store should be, for the message
 * @throws when it has not exactly the tables of this release
 */
export async function requireCurrent(db: Db, engine: Engine, place: string): Promise<void> {
  const migrations = await migratorOf(db, engine).getMigrations()
  const done = migrations.filter(({ executedAt }) => executedAt !== undefined).length
  if (done === 0) throw new Error(`there is no store ${place}, which DATABASE_URL names`)
  if (done < migrations.length) {
    const upgrade = 'back it up, and start the service once, which brings it up to date'
    throw new Error(`the store ${place} is of an older release: ${upgrade}`)
  }
  await refuseNewer(db, engine, place)
}
