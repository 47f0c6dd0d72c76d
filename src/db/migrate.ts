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
  const newer = await newerThanThis(db, engine).catch(() => undefined)
  if (newer === undefined) throw error
  throw new Error(`a newer release has changed the store (${newer}): take that one, or restore a backup`)
}

/** @returns a migration that this release does not know */
async function newerThanThis(db: Db, engine: Engine): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.find(({ name }) => !(name in MIGRATIONS[engine]))?.name
}

/**
 * For who may not change the store.
 *
 * @param place where it should be, for the message
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
  if (await newerThanThis(db, engine))
    throw new Error(`the store ${place} is of a newer release: take that one`)
}
