import type { Kysely } from 'kysely'
import { addSearch } from './search.ts'
import { addFirstRows, addTables, run, SQLITE } from './tables.ts'

const ADD = `
  insert into inventory (organization_id, category_id, status, pets)
  values (coalesce(new.organization_id, 0), new.category_id, coalesce(new.status, 'unlisted'), 1)
  on conflict do update set pets = pets + 1;`

const SUBTRACT = `
  update inventory set pets = pets - 1
  where organization_id = coalesce(old.organization_id, 0)
    and category_id = old.category_id and status = coalesce(old.status, 'unlisted');`

/**
 * Counts animals by organization (0 for none), category and status. Triggers update the counts with every
 * change, whatever code makes it. Counting on demand would read each animal.
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

/** The kinds of cached data, each with the tables that it is read from. */
const SOURCES = { pages: ['pet', 'category', 'organization'], keys: ['api_key', 'api_key_secret'] }

/** Counts the changes of cached data. Rate-limit counters are not included. */
const REVISION = [
  'create table revision (pages integer not null, keys integer not null) strict',
  'insert into revision (pages, keys) values (0, 0)',
  ...Object.entries(SOURCES).flatMap(([part, tables]) =>
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
