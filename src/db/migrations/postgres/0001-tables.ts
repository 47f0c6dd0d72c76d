import type { Kysely } from 'kysely'
import { addSearch } from '../search.ts'
import { addFirstRows, addTables, POSTGRES, run } from '../tables.ts'

/**
 * How many animals there are, by organization (0 for none), category and status. Each connection counts in a
 * row of its own, so that changes at once do not wait for each other; a row alone may be negative.
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
  ...countAfter(
    'insert',
    'new table as added',
    'select organization_id, category_id, status, 1 as pets from added',
  ),
  ...countAfter(
    'delete',
    'old table as removed',
    'select organization_id, category_id, status, -1 as pets from removed',
  ),
  ...countAfter(
    'update',
    'old table as removed new table as added',
    `select organization_id, category_id, status, 1 as pets from added
      union all select organization_id, category_id, status, -1 from removed`,
  ),
]

/**
 * Counts once a statement, however many rows it changes; one that moves nothing counts nothing. In order, so
 * that two that share a row never wait for each other in a circle.
 */
function countAfter(event: string, tables: string, moves: string): string[] {
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
 * Tells every process at once that a key has changed. There is no such thing for animals: a notification is a
 * lock that every commit would wait for.
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

/** Added to an id it makes a negative number, the key of an advisory lock that nothing else takes. */
const LEAST = `'-9223372036854775808'::bigint`
/** The upper half of a negative key, as the view of locks has it, is at least this: 2^31. */
const NEGATIVE = 2_147_483_648

/**
 * An id is given before its animal is committed, so that one with a higher id may be there first. Who adds
 * animals therefore holds a lock, from before the first id is given until its transaction ends; the key says
 * that none of its ids is lower. Nobody ever waits for such a lock.
 */
const SETTLED_PETS = [
  `create function next_pet_id() returns bigint language sql volatile as $$
    select case when is_called then last_value + 1 else last_value end from pet_id_seq
  $$`,
  `create function tell_of_coming_pets() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${LEAST} + next_pet_id());
      return null;
    end $$`,
  `create trigger pets_are_coming before insert on pet
    for each statement execute function tell_of_coming_pets()`,
  // The sequence first: who holds no lock yet when the locks are read gets no id below what it says here.
  `create function settled_pets() returns bigint language plpgsql volatile as $$
    declare
      given constant bigint := next_pet_id();
    begin
      return least(given, (
        select min((classid::bigint << 32 | objid::bigint) - ${LEAST}) from pg_locks
        where locktype = 'advisory' and objsubid = 1 and classid::bigint >= ${NEGATIVE}
          and database = (select oid from pg_database where datname = current_database())
      ));
    end $$`,
]

/** At most one row. The embedded database needs none: nobody can take over the lock of its file. */
const CLAIM = 'create table claim (id bigint primary key check (id = 1), token text not null)'

/** The planner's statistics quote values, and nobody searches by these. */
const NO_STATISTICS = [
  'alter table adoption_order alter column adopter set statistics 0',
  'alter table idempotency alter column result set statistics 0',
]

const CURSOR_SECRET = `insert into secret (name, value)
  values ('cursor', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))`

export async function up(db: Kysely<unknown>): Promise<void> {
  await addTables(db, POSTGRES)
  await run(db, [CURSOR_SECRET, ...INVENTORY, ...KEYS, ...SETTLED_PETS, CLAIM, ...NO_STATISTICS])
  await addFirstRows(db)
  await addSearch(db, 'postgres')
}
