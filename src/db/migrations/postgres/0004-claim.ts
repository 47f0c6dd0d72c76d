import { type Kysely, sql } from 'kysely'

/** At most one row. The embedded database needs none: nobody can take over the lock of its file. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table claim (
        id bigint primary key check (id = 1),
        token text not null
      )`,
    )
    .execute(db)
}
