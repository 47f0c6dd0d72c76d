import type { TableSyntax } from './tables.ts'

/** Adds the log of events, webhooks and their deliveries. See decision 32. */
export function addEvents({ id, integer, options, isJson }: TableSyntax): string[] {
  return [
    `create table event (
      ${id},
      type text not null,
      at ${integer} not null,
      subject text not null,
      audience text not null check (audience in ('public', 'internal', 'confidential')),
      organization_id ${integer},
      data text not null ${isJson('data')}
    ) ${options.rows}`,
    `create table event_log (
      name text primary key check (name = 'log'),
      removed_to ${integer} not null default 0,
      queued_to ${integer} not null default 0
    ) ${options.texts}`,
    "insert into event_log (name) values ('log')",
    `create table webhook (
      ${id},
      organization_id ${integer} references organization (id) on delete cascade,
      url text not null,
      types text not null ${isJson('types')},
      description text,
      secret text not null,
      old_secret text,
      old_secret_expires_at ${integer},
      enabled integer not null default 1 check (enabled in (0, 1)),
      disabled_reason text,
      failing_since ${integer},
      paused_until ${integer} not null default 0,
      created_at ${integer} not null,
      last_event_id ${integer} not null
    ) ${options.rows}`,
    'create index webhook_by_organization on webhook (organization_id, id) where organization_id is not null',
    `create table delivery (
      ${id},
      webhook_id ${integer} not null references webhook (id) on delete cascade,
      event_id ${integer},
      subject text not null,
      status text not null check (status in ('pending', 'delivered', 'failed')),
      attempts ${integer} not null default 0,
      due_at ${integer} not null,
      leased_until ${integer} not null default 0,
      attempted_at ${integer},
      response_status ${integer},
      response_body text,
      created_at ${integer} not null,
      unique (webhook_id, event_id)
    ) ${options.rows}`,
    "create index delivery_by_due on delivery (due_at) where status = 'pending'",
    "create index delivery_by_webhook_and_due on delivery (webhook_id, due_at, id) where status = 'pending'",
    `create index delivery_untried on delivery (webhook_id, subject, id)
      where status = 'pending' and attempted_at is null`,
    `create index delivery_leased on delivery (webhook_id, subject, id)
      where status = 'pending' and leased_until > 0`,
    'create index delivery_by_webhook on delivery (webhook_id, id)',
    'create index delivery_by_age on delivery (created_at)',
  ]
}

/** Locks from this key up to -1 are for events, and lower keys for animals. See VISIBLE_PETS. */
const FIRST_KEY = `'-4611686018427387904'::bigint`
/** The upper half of FIRST_KEY in pg_locks. */
const FIRST_HALF = 3_221_225_472
/** The upper half of the lowest negative key in pg_locks. */
const NEGATIVE = 2_147_483_648
const MIN_BIGINT = `'-9223372036854775808'::bigint`

/** Like VISIBLE_PETS, but for events: finds the id below which no event can appear any more. */
export const VISIBLE_EVENTS = [
  `create or replace function next_event_id() returns bigint language sql volatile as $$
    select case when is_called then last_value + 1 else last_value end from event_id_seq
  $$`,
  `create or replace function tell_of_coming_events() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(${FIRST_KEY} + next_event_id());
      return null;
    end $$`,
  `create trigger events_are_coming before insert on event
    for each statement execute function tell_of_coming_events()`,
  lowestPendingId('settled_events', 'next_event_id', FIRST_KEY, `classid::bigint >= ${FIRST_HALF}`),
  lowestPendingId(
    'settled_pets',
    'next_pet_id',
    MIN_BIGINT,
    `classid::bigint >= ${NEGATIVE} and classid::bigint < ${FIRST_HALF}`,
  ),
]

function lowestPendingId(name: string, nextId: string, firstKey: string, isOurs: string): string {
  return `create or replace function ${name}() returns bigint language plpgsql volatile as $$
    declare
      given constant bigint := ${nextId}();
    begin
      return least(given, (
        select min((classid::bigint << 32 | objid::bigint) - ${firstKey}) from pg_locks
        where locktype = 'advisory' and objsubid = 1 and ${isOurs}
          and database = (select oid from pg_database where datname = current_database())
      ));
    end $$`
}
