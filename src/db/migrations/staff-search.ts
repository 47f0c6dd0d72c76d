import type { Kysely } from 'kysely'
import { run } from './tables.ts'

// Adds the sort keys of staff to the search index, and indexes every animal again.

const columns = (integer: string, text: string): string[] => [
  `alter table pet_search add column number ${text} not null default '1'`,
  `alter table pet_search add column kennel ${text} not null default '1'`,
  `alter table pet_search add column intake ${integer} not null default 999999`,
  ...['number', 'kennel', 'intake'].map(
    (key) => `create index pet_search_by_${key} on pet_search (${key}, pet_id)`,
  ),
]

const ALL_CHANGED = 'insert into search_change (pet_id) select id from pet where true on conflict do nothing'

/** The columns of pet that the index depends on. PostgreSQL notes a change of any column. */
const SEARCHED =
  'name, category_id, status, external_id, organization_id, profile, public_part, staff_part, photos, ' +
  'published_at, updated_at'

export async function addStaffSearch(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  if (engine === 'postgres') return run(db, [...columns('bigint', 'text collate "C"'), ALL_CHANGED])
  await run(db, [
    ...columns('integer', 'text'),
    'drop trigger pet_update_is_searched',
    `create trigger pet_update_is_searched after update of ${SEARCHED} on pet
      begin insert or replace into search_change (pet_id) values (new.id); end`,
    ALL_CHANGED,
  ])
}
