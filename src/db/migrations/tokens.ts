import { type Kysely, sql } from 'kysely'

/** Of both engines: access tokens, by their hashes. */
export async function addTokens(db: Kysely<unknown>, integer: string, options: string): Promise<void> {
  const statements = [
    `create table access_token (
      hash text not null primary key check (length(hash) = 64),
      secret_hash text not null references api_key_secret (hash) on delete cascade,
      expires_at ${integer} not null
    ) ${options}`,
    'create index access_token_by_end on access_token (expires_at)',
    'create index access_token_by_secret on access_token (secret_hash)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
