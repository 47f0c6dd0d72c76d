import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { NodeSqliteDialect, openFile } from '../src/db/sqlite.ts'
import { hashKey } from '../src/keys/key-format.ts'
import type { Random } from './random.ts'

const FOLDER = resolve('src/db/migrations/sqlite')

/** The migrations of SQLite, in their order; a store of step n was made by the first n of them. */
export const STEPS = readdirSync(FOLDER)
  .sort()
  .map((file) => file.replace('.ts', ''))

/** What a release of that time may have left behind, from the migration on that made the table. */
const CONTENTS: { since: number; statements: (random: Random) => string[] }[] = [
  {
    since: 1,
    statements: (random) => [
      ...Array.from({ length: random.whole(1, 300) }, (_, n) => {
        const status = random.pick(["'available'", "'pending'", "'sold'", 'null'])
        const name = `Pet ${n} ${random.pick(['ö', '🐈', "d''Artagnan", 'x'.repeat(150)])}`
        return `insert into pet (name, category_id, status) values ('${name}', ${random.whole(1, 8)}, ${status})`
      }),
      'delete from pet where id % 17 = 0',
      `insert into counter values ('key:2', 1, 5, 1, 50, 0, 0, 9999999999999)`,
    ],
  },
  {
    since: 3,
    statements: () => [
      `update pet set name = name || '!', version = 2, updated_at = 7, created_by = 1 where id % 3 = 0`,
      `insert into pet_change (pet_id, at, key_id, changes) values (3, 7, 1, '{"name":["a","b"]}')`,
    ],
  },
  {
    since: 4,
    statements: () => [`insert into category (name, folded_name) values ('Bees', 'bees')`],
  },
  {
    since: 5,
    statements: () => [
      `insert into idempotency values ('${'a'.repeat(64)}', '${'b'.repeat(64)}', '{"id":1}', 9999999999999)`,
    ],
  },
  {
    since: 6,
    statements: () => [
      `insert into adoption_order (pet_id, status, adopter, placed_by, placed_at, decided_at) values
        (1, 'placed', '{"name":"Kim","email":"kim@example.org"}', 1, 5, null), (2, 'cancelled', null, 1, 5, 6)`,
    ],
  },
]

/** Makes a store as a release with the first so many migrations left it; its key has all access. */
export async function makeStore(file: string, step: number, key: string, random: Random): Promise<void> {
  const database = openFile(file, 'write')
  const db = new Kysely<unknown>({ dialect: new NodeSqliteDialect(database) })
  const migrations: Record<string, Migration> = {}
  for (const name of STEPS.slice(0, step)) migrations[name] = await import(`${FOLDER}/${name}.ts`)
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest()
  if (error) throw error
  if (step > 0) {
    database.exec(`insert into api_key (name, plan, access, per_minute, per_day, created_at)
      values ('old', 'enterprise', 'admin', 1000000, 1000000, 0)`)
    database.exec(`insert into api_key_secret values ('${hashKey(key)}', 1, 0, null)`)
  }
  for (const { since, statements } of CONTENTS) {
    if (step >= since) for (const statement of statements(random)) database.exec(statement)
  }
  database.close()
}

type Rows = Record<string, SQLOutputValue>[]

/** Every row of every table, but for the record of the migrations themselves. */
export function readRows(database: DatabaseSync): Map<string, Rows> {
  const tables = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'kysely%'`)
    .all()
  return new Map(tables.map(({ name }) => [String(name), database.prepare(`select * from ${name}`).all()]))
}

/** What the tables are made of, as SQLite has it. */
export function readSchema(database: DatabaseSync): Rows {
  return database.prepare('select type, name, sql from sqlite_schema order by type, name').all()
}
