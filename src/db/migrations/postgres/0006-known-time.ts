import { type Kysely, sql } from 'kysely'

/** As 0012-known-time of the embedded database. */
const STATEMENTS = [
  `create table known_time (
    name text primary key check (name = 'known'),
    at bigint not null,
    credited_at bigint not null,
    scrub_due integer not null default 0 check (scrub_due >= 0)
  )`,
  `insert into known_time (name, at, credited_at, scrub_due)
    select 'known', max(at), max(at), 1 from (
      select placed_at as at from adoption_order
      union all select decided_at from adoption_order
      union all select updated_at from pet where exists (select 1 from adoption_order)
    ) times having count(*) > 0`,
  `update idempotency set result = (result::jsonb - 'adopter')::text where result like '{%"adopter":%'`,
  // The planner's statistics quote values, and nobody searches by this one.
  'alter table adoption_order alter column adopter set statistics 0',
  // Forgets those that were gathered.
  'alter table adoption_order alter column adopter type text',
  'alter table idempotency alter column result set statistics 0',
  'alter table idempotency alter column result type text',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
