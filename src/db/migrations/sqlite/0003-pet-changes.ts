import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  // Of an animal from before this migration nobody knows when it came and by whom.
  'alter table pet add column created_at integer not null default 0',
  'alter table pet add column created_by integer references api_key (id)',
  'alter table pet add column updated_at integer not null default 0',
  'alter table pet add column version integer not null default 1',
  `create table pet_change (
    id integer primary key autoincrement,
    pet_id integer not null,
    at integer not null,
    key_id integer not null references api_key (id),
    changes text not null check (json_valid(changes))
  ) strict`,
  'create index pet_change_by_pet on pet_change (pet_id, id)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
