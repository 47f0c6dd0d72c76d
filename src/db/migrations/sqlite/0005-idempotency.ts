import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  `create table idempotency (
    scope text primary key check (length(scope) = 64),
    fingerprint text not null check (length(fingerprint) = 64),
    result text,
    expires_at integer not null
  ) strict, without rowid`,
  'create index idempotency_by_expiry on idempotency (expires_at)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
