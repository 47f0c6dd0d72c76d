import { type Kysely, sql } from 'kysely'

/** As 0011-installation of the embedded database. */
const STATEMENTS = [
  `create table installation (
    only_row integer primary key check (only_row = 1),
    id text,
    home text,
    counter_store text
  )`,
  'insert into installation (only_row) values (1)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
