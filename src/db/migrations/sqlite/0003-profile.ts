import { type Kysely, sql } from 'kysely'

/** No row is written again: what is there has no profile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['profile', 'public_part', 'staff_part'])
    await sql.raw(`alter table pet add column ${column} text`).execute(db)
  for (const column of ['age_due_at', 'published_at', 'status_changed_at'])
    await sql.raw(`alter table pet add column ${column} integer`).execute(db)
  await sql`create index pet_age_due on pet (age_due_at) where age_due_at is not null`.execute(db)
}
