import { type Kysely, sql } from 'kysely'
import { FIRST_CATEGORIES } from '../categories.ts'

/** AUTOINCREMENT, because an id is never used again, not even that of the newest animal after its removal. */
const TABLES = [
  `create table category (
    id integer primary key autoincrement,
    name text not null unique collate nocase,
    description text
  ) strict`,
  `create table pet (
    id integer primary key autoincrement,
    name text not null check (length(name) between 1 and 200),
    category_id integer not null references category (id),
    status text check (status in ('available', 'pending', 'sold'))
  ) strict`,
  'create index pet_by_status on pet (status, id)',
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
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of TABLES) await sql.raw(statement).execute(db)
  for (const name of FIRST_CATEGORIES) await sql`insert into category (name) values (${name})`.execute(db)
}
