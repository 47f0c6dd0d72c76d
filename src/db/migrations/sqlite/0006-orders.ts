import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  // An order outlives the record of its animal, so it does not refer to it.
  `create table adoption_order (
    id integer primary key autoincrement,
    pet_id integer not null,
    status text not null check (status in ('placed', 'approved', 'completed', 'cancelled')),
    adopter text check (json_valid(adopter)),
    placed_by integer not null references api_key (id),
    placed_at integer not null,
    decided_at integer,
    check ((status = 'placed') = (decided_at is null))
  ) strict`,
  // Whatever the program does: never two open orders on one animal.
  `create unique index open_order_by_pet on adoption_order (pet_id) where status in ('placed', 'approved')`,
  // An index for every filter, with and without the key that placed the order.
  'create index adoption_order_by_status on adoption_order (status, id)',
  'create index adoption_order_by_pet on adoption_order (pet_id, id)',
  'create index adoption_order_by_key on adoption_order (placed_by, id)',
  'create index adoption_order_by_key_and_status on adoption_order (placed_by, status, id)',
  `create index adopter_by_close on adoption_order (decided_at)
    where adopter is not null and status in ('completed', 'cancelled')`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
