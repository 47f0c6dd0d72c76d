import { type Kysely, sql } from 'kysely'

/** Added to an id it makes a negative number, the key of an advisory lock that nothing else takes. */
const LEAST = `'-9223372036854775808'::bigint`
/** The upper half of a negative key, as the view of locks has it, is at least this: 2^31. */
const NEGATIVE = 2_147_483_648

/**
 * An id is given before its animal is committed, so that one with a higher id may be there first. Who adds
 * animals therefore holds a lock, from before the first id is given until its transaction ends; the key says
 * that none of its ids is lower. Nobody ever waits for such a lock.
 */
const STATEMENTS = [
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

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
