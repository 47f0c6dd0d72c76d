import type { Kysely } from 'kysely'
import { addSearch } from './search.ts'
import { addFirstRows, addTables, POSTGRES, run } from './tables.ts'

/**
 * Counts animals by organization (0 for none), category and status. Each count is the sum of 32 slots, so
 * concurrent changes rarely wait for each other. A single slot may be negative.
 */
const INVENTORY = [
  `create table inventory (
    organization_id bigint not null,
    category_id bigint not null,
    status text not null,
    slot integer not null,
    pets bigint not null,
    primary key (organization_id, category_id, status, slot)
  )`,
  ...countTrigger(
    'insert',
    'new table as added',
    'select organization_id, category_id, status, 1 as pets from added',
  ),
  ...countTrigger(
    'delete',
    'old table as removed',
    'select organization_id, category_id, status, -1 as pets from removed',
  ),
  ...countTrigger(
    'update',
    'old table as removed new table as added',
    `select organization_id, category_id, status, 1 as pets from added
      union all select organization_id, category_id, status, -1 from removed`,
  ),
]

/** Runs once per statement. Writes only changed counts, in a fixed order, so statements cannot deadlock. */
function countTrigger(event: string, tables: string, moves: string): string[] {
  const name = `count_pets_after_${event}`
  return [
    `create function ${name}() returns trigger language plpgsql as $$
      begin
        insert into inventory as counted (organization_id, category_id, status, slot, pets)
        select coalesce(organization_id, 0), category_id, coalesce(status, 'unlisted'),
          pg_backend_pid() % 32, sum(pets)
        from (${moves}) as moved
        group by 1, 2, 3
        having sum(pets) <> 0
        order by 1, 2, 3
        on conflict (organization_id, category_id, status, slot)
          do update set pets = counted.pets + excluded.pets;
        return null;
      end $$`,
    `create trigger ${name} after ${event} on pet referencing ${tables}
      for each statement execute function ${name}()`,
  ]
}

/**
 * Triggers that notify every process of a changed key. Animals have no such triggers, because notifications
 * take a lock that would make all commits run one after the other.
 */
const KEYS = [
  `create function tell_of_keys() returns trigger language plpgsql as $$
    begin
      notify adoptable_keys;
      return null;
    end $$`,
  `create trigger key_has_changed after insert or update or delete on api_key
    for each statement execute function tell_of_keys()`,
  `create trigger secret_has_changed after insert or update or delete on api_key_secret
    for each statement execute function tell_of_keys()`,
]

/** An id plus this number is the negative key of an advisory lock. Nothing else uses negative keys. */
const MIN_BIGINT = `'-9223372036854775808'::bigint`
/** In pg_locks, the upper half of a negative key is 2^31 or more. */
const NEGATIVE = 2_147_483_648

/**
 * Finds the id below which no animal can appear any more. PostgreSQL assigns ids before the commit, so a
 * higher id may be committed before a lower one. A transaction that adds animals therefore first takes a
 * shared lock. Its key is a lower bound for the ids of the transaction. Nothing waits for these locks.
 */
const VISIBLE_PETS = [
  `create function next_pet_id() returns bigint language sql volatile as $$
    select case when is_called then last_value + 1 else last_value end from pet_id_seq
  $$`,
  `create function tell_of_coming_pets() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${MIN_BIGINT} + next_pet_id());
      return null;
    end $$`,
  `create trigger pets_are_coming before insert on pet
    for each statement execute function tell_of_coming_pets()`,
  // Reads the sequence first. If a transaction takes its lock later, all its ids are above this value.
  `create function settled_pets() returns bigint language plpgsql volatile as $$
    declare
      given constant bigint := next_pet_id();
    begin
      return least(given, (
        select min((classid::bigint << 32 | objid::bigint) - ${MIN_BIGINT}) from pg_locks
        where locktype = 'advisory' and objsubid = 1 and classid::bigint >= ${NEGATIVE}
          and database = (select oid from pg_database where datname = current_database())
      ));
    end $$`,
]

/** Has at most one row. SQLite has no such table, because no other process can take over a file lock. */
const CLAIM = 'create table claim (id bigint primary key check (id = 1), token text not null)'

/** Keeps personal data, by which no query filters, out of the statistics, which contain values of columns. */
const NO_STATISTICS = [
  'alter table adoption_order alter column adopter set statistics 0',
  'alter table idempotency alter column result set statistics 0',
]

const CURSOR_SECRET = `insert into secret (name, value)
  values ('cursor', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))`

export async function up(db: Kysely<unknown>): Promise<void> {
  await addTables(db, POSTGRES)
  await run(db, [CURSOR_SECRET, ...INVENTORY, ...KEYS, ...VISIBLE_PETS, CLAIM, ...NO_STATISTICS])
  await addFirstRows(db)
  await addSearch(db, 'postgres')
}
