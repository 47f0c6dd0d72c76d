import type { Kysely } from 'kysely'
import { addSearch } from '../search.ts'
import { addFirstRows, addTables, run, SQLITE } from '../tables.ts'

const ADD = `
  insert into inventory (organization_id, category_id, status, pets)
  values (coalesce(new.organization_id, 0), new.category_id, coalesce(new.status, 'unlisted'), 1)
  on conflict do update set pets = pets + 1;`

const SUBTRACT = `
  update inventory set pets = pets - 1
  where organization_id = coalesce(old.organization_id, 0)
    and category_id = old.category_id and status = coalesce(old.status, 'unlisted');`

/**
 * How many animals there are, by organization (0 for none), category and status. Counted with every change,
 * since counting at every look would read each animal; and by the store itself, so that no way into it can be
 * forgotten.
 */
const INVENTORY = [
  `create table inventory (
    organization_id integer not null,
    category_id integer not null,
    status text not null,
    pets integer not null check (pets >= 0),
    primary key (organization_id, category_id, status)
  ) strict, without rowid`,
  `create trigger pet_is_added after insert on pet begin ${ADD} end`,
  `create trigger pet_is_removed after delete on pet begin ${SUBTRACT} end`,
  `create trigger pet_is_moved after update of category_id, status, organization_id on pet
    when old.category_id <> new.category_id or old.status is not new.status
      or old.organization_id is not new.organization_id
    begin ${ADD} ${SUBTRACT} end`,
]

/** What is made of which tables, and kept ready. */
const MADE_OF = { pages: ['pet', 'category', 'organization'], keys: ['api_key', 'api_key_secret'] }

/** Counts changes of what is kept ready, which the counters of limits are not. */
const REVISION = [
  'create table revision (pages integer not null, keys integer not null) strict',
  'insert into revision (pages, keys) values (0, 0)',
  ...Object.entries(MADE_OF).flatMap(([part, tables]) =>
    tables.flatMap((table) =>
      ['insert', 'update', 'delete'].map(
        (event) => `create trigger ${table}_${event}_is_counted after ${event} on ${table}
          begin update revision set ${part} = ${part} + 1; end`,
      ),
    ),
  ),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await addTables(db, SQLITE)
  await run(db, ["insert into secret (name, value) values ('cursor', lower(hex(randomblob(32))))"])
  await addFirstRows(db)
  await run(db, [...INVENTORY, ...REVISION])
  await addSearch(db, 'sqlite')
}
