import { type Kysely, sql } from 'kysely'

/** No row is written again: what is there has no profile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['profile text', 'public_part text', 'staff_part text', 'age_due_at bigint'])
    await sql.raw(`alter table pet add column ${column}`).execute(db)
  await sql`create index pet_age_due on pet (age_due_at) where age_due_at is not null`.execute(db)
}
