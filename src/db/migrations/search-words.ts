import { type Kysely, sql } from 'kysely'

/** Of both engines: words are made otherwise now, so that the index of the search is made anew. */
export async function renewIndex(db: Kysely<unknown>): Promise<void> {
  const statements = [
    'delete from search_posting',
    'delete from search_order',
    `update search_state set generation = generation + 1, backfill_from = 1,
      backfill_to = (select coalesce(max(id), 0) from pet)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
