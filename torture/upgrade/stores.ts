import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { openToWrite } from '../../src/db/open-sqlite.ts'
import { hashKey } from '../../src/keys/key-format.ts'
import { becomeNextRelease } from '../../src/testing/next-release.ts'
import type { Random } from '../lab/random.ts'

/** Statements that insert random content. */
function contentsOf(random: Random): string[] {
  return [
    ...Array.from({ length: random.integer(1, 300) }, (_, n) => {
      const status = random.pick(["'available'", "'pending'", "'sold'", 'null'])
      const name = `Pet ${n} ${random.pick(['ö', '🐈', "d''Artagnan", 'x'.repeat(150)])}`
      return `insert into pet (name, category_id, status) values ('${name}', ${random.integer(1, 8)}, ${status})`
    }),
    'delete from pet where id % 17 = 0',
    `insert into counter values ('key:2', 1, 5, 1, 50, 0, 0, 9999999999999)`,
    `update pet set name = name || '!', version = 2, updated_at = 7, created_by = 1 where id % 3 = 0`,
    `insert into pet_change (pet_id, at, key_id, changes) values (3, 7, 1, '{"name":["a","b"]}')`,
    `insert into pet_source (source, source_id, pet_id) values ('petfinder', 'a-1', 1)`,
    `insert into imported_file values ('${'c'.repeat(64)}', 1, 7)`,
    `insert into category (name, folded_name) values ('Bees', 'bees')`,
    `insert into idempotency values ('${'a'.repeat(64)}', '${'b'.repeat(64)}', '{"id":1}', 9999999999999)`,
    `insert into adoption_order (pet_id, status, adopter, placed_by, placed_at, decided_at) values
      (1, 'placed', '{"name":"Kim","email":"kim@example.org"}', 1, 5, null), (2, 'cancelled', null, 1, 5, 6)`,
    `insert into known_time values ('known', 6, 6, 0, 0)`,
  ]
}

/** Makes a store of this release with an admin key. */
export async function makeStore(file: string, key: string, random: Random): Promise<void> {
  const { database } = await openToWrite(file)
  database.exec(`insert into api_key (name, plan, access, per_minute, per_day, created_at)
    values ('old', 'enterprise', 'admin', 1000000, 1000000, 0)`)
  database.exec(`insert into api_key_secret (hash, key_id, created_at) values ('${hashKey(key)}', 1, 0)`)
  for (const statement of contentsOf(random)) database.exec(statement)
  database.close()
}

/** Makes a new store of the next release. */
export async function openNext(file: string): Promise<DatabaseSync> {
  const becomeThisRelease = becomeNextRelease()
  try {
    return (await openToWrite(file)).database
  } finally {
    becomeThisRelease()
  }
}

type Rows = Record<string, SQLOutputValue>[]

/** Every row of every table except the record of migrations. */
export function readRows(database: DatabaseSync): Map<string, Rows> {
  const tables = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'kysely%'`)
    .all()
  return new Map(tables.map(({ name }) => [String(name), database.prepare(`select * from ${name}`).all()]))
}

/** The schema in SQLite. */
export function readSchema(database: DatabaseSync): Rows {
  const made = database.prepare('select type, name, sql from sqlite_schema order by type, name').all()
  // SQLite keeps the white space of ALTER TABLE, so the comparison ignores white space.
  return made.map((row) => ({ ...row, sql: row.sql === null ? null : String(row.sql).replace(/\s+/g, '') }))
}
