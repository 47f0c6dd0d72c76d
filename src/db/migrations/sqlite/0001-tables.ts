import { type Kysely, sql } from 'kysely'
import { FIRST_CATEGORIES } from '../categories.ts'
import { ORDER_INDEXES } from '../order-indexes.ts'

/** AUTOINCREMENT, because an id is never used again, not even that of the newest animal after its removal. */
const TABLES = [
  `create table category (
    id integer primary key autoincrement,
    name text not null unique collate nocase,
    description text,
    folded_name text not null default ''
  ) strict`,
  // Names are unique whatever the case of their letters; SQLite's own folding knows those of ASCII only.
  'create unique index category_by_folded_name on category (folded_name)',
  `create table api_key (
    id integer primary key autoincrement,
    name text not null,
    plan text not null check (plan in ('free', 'pro', 'business', 'enterprise')),
    access text not null check (access in ('read', 'write', 'admin')),
    per_minute integer check (per_minute > 0),
    per_day integer check (per_day > 0),
    created_at integer not null,
    revoked_at integer,
    check ((plan = 'enterprise') = (per_minute is not null) and (plan = 'enterprise') = (per_day is not null))
  ) strict`,
  `create table api_key_secret (
    hash text primary key check (length(hash) = 64),
    key_id integer not null references api_key (id),
    created_at integer not null,
    expires_at integer
  ) strict, without rowid`,
  'create index api_key_secret_by_key on api_key_secret (key_id)',
  `create table pet (
    id integer primary key autoincrement,
    name text not null check (length(name) between 1 and 200),
    category_id integer not null references category (id),
    status text check (status in ('available', 'pending', 'sold')),
    created_at integer not null default 0,
    created_by integer references api_key (id),
    updated_at integer not null default 0,
    version integer not null default 1
  ) strict`,
  // An index for every filter, in the order of the list: any page is one walk along one of them.
  'create index pet_by_status on pet (status, id)',
  'create index pet_by_category on pet (category_id, id)',
  'create index pet_by_category_and_status on pet (category_id, status, id)',
  `create table pet_change (
    id integer primary key autoincrement,
    pet_id integer not null,
    at integer not null,
    key_id integer not null references api_key (id),
    changes text not null check (json_valid(changes))
  ) strict`,
  'create index pet_change_by_pet on pet_change (pet_id, id)',
  `create table pet_source (
    id integer primary key autoincrement,
    source text not null check (length(source) between 1 and 100),
    source_id text not null check (length(source_id) between 1 and 200),
    pet_id integer not null unique references pet (id) on delete cascade,
    unique (source, source_id)
  ) strict`,
  `create table imported_file (
    fingerprint text not null primary key check (length(fingerprint) between 1 and 200),
    first_pet_id integer not null,
    imported_at integer not null
  ) strict`,
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
  `create unique index open_order_by_pet on adoption_order (pet_id) where status in ('placed', 'approved')`,
  'create index adoption_order_by_status on adoption_order (status, id)',
  'create index adoption_order_by_pet on adoption_order (pet_id, id)',
  'create index adoption_order_by_key on adoption_order (placed_by, id)',
  'create index adoption_order_by_key_and_status on adoption_order (placed_by, status, id)',
  ...ORDER_INDEXES,
  `create index adopter_by_close on adoption_order (decided_at)
    where adopter is not null and status in ('completed', 'cancelled')`,
  // How much time has passed as far as this store can know: what is erased waits for it. Decision 13.
  `create table known_time (
    name text primary key check (name = 'known'),
    at integer not null,
    credited_at integer not null,
    scrub_due integer not null default 0 check (scrub_due >= 0)
  ) strict`,
  `create table idempotency (
    scope text primary key check (length(scope) = 64),
    fingerprint text not null check (length(fingerprint) = 64),
    result text,
    expires_at integer not null
  ) strict, without rowid`,
  'create index idempotency_by_expiry on idempotency (expires_at)',
  `create table counter (
    caller text primary key,
    minute_started_at integer not null,
    minute_used integer not null,
    day_started_at integer not null,
    day_used integer not null,
    banned_until integer not null,
    ban_seconds integer not null,
    expires_at integer not null
  ) strict, without rowid`,
  'create index counter_by_expiry on counter (expires_at)',
  // What signs cursors: made here once, so that they outlive restarts.
  `create table secret (
    name text primary key,
    value text not null check (length(value) = 64)
  ) strict, without rowid`,
  `insert into secret (name, value) values ('cursor', lower(hex(randomblob(32))))`,
  // One row. Its id is given at the first start, which knows where the store lies.
  `create table installation (
    only_row integer primary key check (only_row = 1),
    id text,
    home text,
    counter_store text
  ) strict`,
  'insert into installation (only_row) values (1)',
]

const ADD = `
  insert into inventory (category_id, status, pets)
  values (new.category_id, coalesce(new.status, 'unlisted'), 1)
  on conflict do update set pets = pets + 1;`

const SUBTRACT = `
  update inventory set pets = pets - 1
  where category_id = old.category_id and status = coalesce(old.status, 'unlisted');`

/**
 * Counted with every change, since counting at every look would read each animal; and by the store itself, so
 * that no way into it can be forgotten.
 */
const INVENTORY = [
  `create table inventory (
    category_id integer not null,
    status text not null,
    pets integer not null check (pets >= 0),
    primary key (category_id, status)
  ) strict, without rowid`,
  `create trigger pet_is_added after insert on pet begin ${ADD} end`,
  `create trigger pet_is_removed after delete on pet begin ${SUBTRACT} end`,
  `create trigger pet_is_moved after update of category_id, status on pet
    when old.category_id <> new.category_id or old.status is not new.status
    begin ${ADD} ${SUBTRACT} end`,
]

/** What is made of which tables, and kept ready. */
const MADE_OF = { pages: ['pet', 'category'], keys: ['api_key', 'api_key_secret'] }

const REVISION = [
  // Counters are saved many times a second, and change nothing that is kept ready: it outlives them.
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
  const run = async (statements: string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
  await run([...TABLES, ...INVENTORY])
  for (const name of FIRST_CATEGORIES) {
    await sql`insert into category (name, folded_name) values (${name}, lower(${name}))`.execute(db)
  }
  await run(REVISION)
}
