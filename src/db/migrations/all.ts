import type { Kysely } from 'kysely'
import { addEvents, VISIBLE_EVENTS } from './events.ts'
import * as postgresTables from './postgres-tables.ts'
import * as sqliteTables from './sqlite-tables.ts'
import { POSTGRES, run, SQLITE, type TableSyntax } from './tables.ts'

// All migrations. The first one creates the tables and has files of its own.

const migration = (statements: string[]) => ({ up: (db: Kysely<unknown>) => run(db, statements) })

/** Keeps columns, which no query filters by, out of PostgreSQL's statistics, as these contain values. */
const withoutStatistics = (table: string, columns: string[]): string =>
  `alter table ${table} ${columns.map((column) => `alter column ${column} set statistics 0`).join(', ')}`

/**
 * Adds the organization to each change, and adds a flag for when the tables of animals need a scrub. If an
 * animal has moved, the organization of its earlier changes is unknown, so only operators see those changes.
 */
const addChangeOwner = ({ integer }: TableSyntax): string[] => [
  `alter table pet_change add column organization_id ${integer}`,
  `update pet_change set organization_id = (select organization_id from pet where pet.id = pet_id)
    where pet_id not in (select pet_id from pet_change where changes like '%"organizationId":%')`,
  'alter table known_time add column animals_scrub_due integer not null default 0',
]

/** Indexes animals by their microchip without case, blanks, hyphens and points. */
function indexMicrochips(microchip: string): string {
  const folded = `lower(replace(replace(replace(${microchip}, ' ', ''), '-', ''), '.', ''))`
  return `create index pet_by_microchip on pet ((${folded}), id) where ${folded} is not null`
}

/** Indexes the changes of each organization in their order, for its list of latest changes. */
const INDEX_ORGANIZATION_CHANGES = `create index pet_change_by_organization on pet_change (organization_id, id)
  where organization_id is not null`

/** Adds the e-mails that are still to be sent, and what is needed to know whether to send any. */
const addOutbox = ({ id, integer, options }: TableSyntax): string[] => [
  'alter table installation add column sends_email integer not null default 0',
  'alter table application add column language text',
  `create table outbox (
    ${id},
    application_id ${integer} not null references application (id) on delete cascade,
    kind text not null check (kind in ('receipt', 'decision', 'reply', 'notice')),
    link text,
    version ${integer} not null default 1,
    attempts ${integer} not null default 0,
    created_at ${integer} not null,
    due_at ${integer},
    unique (application_id, kind)
  ) ${options.rows}`,
  'create index outbox_by_due on outbox (due_at, id) where due_at is not null',
]

/** Adds the sort keys of staff to the search index. */
const addStaffSearch = ({ integer }: TableSyntax, text: string): string[] => [
  `alter table pet_search add column number ${text} not null default '1'`,
  `alter table pet_search add column kennel ${text} not null default '1'`,
  `alter table pet_search add column intake ${integer} not null default 999999`,
  ...['number', 'kennel', 'intake'].map(
    (key) => `create index pet_search_by_${key} on pet_search (${key}, pet_id)`,
  ),
]

/** Adds the installations that are followed, and the copies of their animals. See decision 33. */
const addFollowed = ({ id, integer, options }: TableSyntax): string[] => [
  'alter table pet add column source text',
  `create table followed (
    ${id},
    url text not null unique,
    api_key text not null,
    organization_id ${integer} references organization (id),
    after text,
    holder text,
    leased_until ${integer} not null default 0,
    ending integer not null default 0 check (ending in (0, 1)),
    read_at ${integer},
    lag_ms ${integer},
    last_error text,
    created_at ${integer} not null
  ) ${options.rows}`,
  'create index followed_by_organization on followed (organization_id) where organization_id is not null',
  `create table followed_pet (
    ${id},
    pet_id ${integer} not null unique references pet (id) on delete cascade,
    followed_id ${integer} not null references followed (id),
    source_id ${integer} not null,
    unique (followed_id, source_id)
  ) ${options.rows}`,
]

/** Marks the organizations that were copied with their animals, as `pet.source` marks animals. */
const ADD_ORGANIZATION_SOURCE = [
  'alter table organization add column source text',
  'create unique index organization_by_source on organization (source) where source is not null',
]

/** Marks the webhooks whose deliveries are not added yet for all events, because too many are pending. */
const ADD_BEHIND = [
  'alter table webhook add column behind integer not null default 0 check (behind in (0, 1))',
  'create index webhook_behind on webhook (id) where behind = 1',
]

/** Adds when the source created each animal, which tells whether two sources are one installation. */
const addSourceTime = ({ integer }: TableSyntax): string[] => [
  `alter table followed_pet add column source_created_at ${integer}`,
  `create index followed_pet_by_time on followed_pet (source_created_at, source_id)
    where source_created_at is not null`,
]

/** Indexes every animal again. */
const ALL_CHANGED = 'insert into search_change (pet_id) select id from pet where true on conflict do nothing'

/** Adds `staff_part` to the columns that the index depends on. PostgreSQL notes a change of any column. */
const NOTE_STAFF_PART = [
  'drop trigger pet_update_is_searched',
  `create trigger pet_update_is_searched
    after update of name, category_id, status, external_id, organization_id, profile, public_part, staff_part,
      photos, published_at, updated_at on pet
    begin insert or replace into search_change (pet_id) values (new.id); end`,
]

/** The migrations of each engine, in order. A released migration never changes. */
export const MIGRATIONS = {
  sqlite: {
    '0001-tables': sqliteTables,
    '0002-change-owner': migration(addChangeOwner(SQLITE)),
    '0003-microchips': migration([indexMicrochips("json_extract(staff_part, '$.staff.microchip')")]),
    '0004-organization-changes': migration([INDEX_ORGANIZATION_CHANGES]),
    '0005-outbox': migration(addOutbox(SQLITE)),
    '0006-staff-search': migration([...addStaffSearch(SQLITE, 'text'), ...NOTE_STAFF_PART, ALL_CHANGED]),
    '0007-events': migration(addEvents(SQLITE)),
    '0008-followed': migration(addFollowed(SQLITE)),
    '0009-organization-source': migration(ADD_ORGANIZATION_SOURCE),
    '0010-webhook-behind': migration(ADD_BEHIND),
    '0011-source-time': migration(addSourceTime(SQLITE)),
  },
  postgres: {
    '0001-tables': postgresTables,
    '0002-change-owner': migration([
      ...addChangeOwner(POSTGRES),
      withoutStatistics('application', ['applicant', 'note', 'reply']),
      withoutStatistics('staff', ['email', 'folded_email', 'name']),
      withoutStatistics('pet', ['photos', 'profile', 'public_part', 'staff_part']),
      withoutStatistics('pet_change', ['changes']),
    ]),
    '0003-microchips': migration([
      // The collation limits `lower` to ASCII, as on SQLite.
      indexMicrochips(`(staff_part::json->'staff'->>'microchip') collate "C"`),
      'alter index pet_by_microchip alter column 1 set statistics 0',
    ]),
    '0004-organization-changes': migration([INDEX_ORGANIZATION_CHANGES]),
    '0005-outbox': migration([...addOutbox(POSTGRES), withoutStatistics('outbox', ['link'])]),
    '0006-staff-search': migration([...addStaffSearch(POSTGRES, 'text collate "C"'), ALL_CHANGED]),
    '0007-events': migration([...addEvents(POSTGRES), ...VISIBLE_EVENTS]),
    '0008-followed': migration([
      ...addFollowed(POSTGRES),
      withoutStatistics('followed', ['api_key', 'last_error']),
    ]),
    '0009-organization-source': migration(ADD_ORGANIZATION_SOURCE),
    '0010-webhook-behind': migration(ADD_BEHIND),
    '0011-source-time': migration(addSourceTime(POSTGRES)),
  },
}
