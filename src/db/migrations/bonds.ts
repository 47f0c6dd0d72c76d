import { type Kysely, sql } from 'kysely'

/** Of both engines: the animals that an order takes beside its own, as a JSON array of ids. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table adoption_order add column also_pet_ids text`.execute(db)
}
