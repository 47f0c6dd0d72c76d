import { type Kysely, sql } from 'kysely'

interface Types {
  /** The column, as the engine makes ids. */
  id: string
  integer: string
  /** Behind each table; behind those whose key is a hash. */
  options: { rows: string; hashes: string }
}

/**
 * Of both engines: people who sign in, their sessions, their one-time links, and how often somebody has tried
 * to sign in. Each of them acts through a row of api_key that has no secret.
 */
export async function addStaff(db: Kysely<unknown>, types: Types): Promise<void> {
  const { id, integer, options } = types
  const hash = 'hash text not null primary key check (length(hash) = 64)'
  const statements = [
    `alter table api_key add column for_staff ${integer} not null default 0`,
    `create table staff (
      ${id},
      key_id ${integer} not null unique references api_key (id),
      email text not null,
      folded_email text not null unique,
      name text not null,
      role text not null check (role in ('viewer', 'staff', 'manager', 'admin')),
      organization_id ${integer} references organization (id),
      password text,
      created_at ${integer} not null,
      check (role <> 'admin' or organization_id is null)
    ) ${options.rows}`,
    'create index staff_by_organization on staff (organization_id) where organization_id is not null',
    `create table staff_session (
      ${hash},
      staff_id ${integer} not null references staff (id),
      created_at ${integer} not null,
      seen_at ${integer} not null
    ) ${options.hashes}`,
    'create index staff_session_by_staff on staff_session (staff_id)',
    `create table staff_link (
      ${hash},
      staff_id ${integer} references staff (id),
      kind text not null check (kind in ('first', 'invitation', 'reset')),
      expires_at ${integer} not null,
      check ((kind = 'first') = (staff_id is null))
    ) ${options.hashes}`,
    'create index staff_link_by_staff on staff_link (staff_id)',
    // Its slots are numbers that nobody can lead back to an address: there are only so many of them.
    `create table sign_in_try (
      slot ${integer} primary key,
      started_at ${integer} not null,
      tries ${integer} not null,
      blocked_until ${integer} not null,
      wait_ms ${integer} not null
    ) ${options.rows}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
