import { type Kysely, sql } from 'kysely'

const ADD = `
  insert into inventory (category_id, status, pets)
  values (new.category_id, coalesce(new.status, 'unlisted'), 1)
  on conflict do update set pets = pets + 1;`

const SUBTRACT = `
  update inventory set pets = pets - 1
  where category_id = old.category_id and status = coalesce(old.status, 'unlisted');`

const STATEMENTS = [
  // Counted with every change, since counting at every look would read each animal; and by the store itself,
  // so that no way into it can be forgotten.
  `create table inventory (
    category_id integer not null,
    status text not null,
    pets integer not null check (pets >= 0),
    primary key (category_id, status)
  ) strict, without rowid`,
  `insert into inventory (category_id, status, pets)
    select category_id, coalesce(status, 'unlisted'), count(*) from pet group by category_id, status`,
  `create trigger pet_is_added after insert on pet begin ${ADD} end`,
  `create trigger pet_is_removed after delete on pet begin ${SUBTRACT} end`,
  `create trigger pet_is_moved after update of category_id, status on pet
    when old.category_id <> new.category_id or old.status is not new.status
    begin ${ADD} ${SUBTRACT} end`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
