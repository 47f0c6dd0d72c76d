import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  // An index for every filter, in the order of the list: any page is one walk along one of them.
  'create index pet_by_category on pet (category_id, id)',
  'create index pet_by_category_and_status on pet (category_id, status, id)',
  // What signs cursors: made here once, so that they outlive restarts.
  `create table secret (
    name text primary key,
    value text not null check (length(value) = 64)
  ) strict, without rowid`,
  `insert into secret (name, value) values ('cursor', lower(hex(randomblob(32))))`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
