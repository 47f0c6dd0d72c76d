import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  // Under which name another program knew an animal before it was imported; it goes with the animal.
  `create table pet_source (
    id integer primary key autoincrement,
    source text not null check (length(source) between 1 and 100),
    source_id text not null check (length(source_id) between 1 and 200),
    pet_id integer not null unique references pet (id) on delete cascade,
    unique (source, source_id)
  ) strict`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
