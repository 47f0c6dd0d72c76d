import { type Kysely, sql } from 'kysely'
import { indexSourceOwners } from '../source-owners.ts'

/** SQLite drops no constraint of a table: it is made anew. */
const STATEMENTS = [
  `create table pet_source_with_owner (
    id integer primary key autoincrement,
    source text not null check (length(source) between 1 and 100),
    source_id text not null check (length(source_id) between 1 and 200),
    pet_id integer not null unique references pet (id) on delete cascade,
    organization_id integer references organization (id) on delete cascade
  ) strict`,
  `insert into pet_source_with_owner (id, source, source_id, pet_id)
    select id, source, source_id, pet_id from pet_source order by id`,
  'drop table pet_source',
  'alter table pet_source_with_owner rename to pet_source',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
  await indexSourceOwners(db)
}
