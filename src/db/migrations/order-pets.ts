import { type Kysely, sql } from 'kysely'

/**
 * Of both engines: the animals that an order takes beside its own, so that orders are found by them.
 *
 * @param id the column, as the engine makes ids
 * @param listed the ids in also_pet_ids, as a table with the column value
 */
export async function addOrderPets(
  db: Kysely<unknown>,
  { id, integer, listed }: { id: string; integer: string; listed: string },
): Promise<void> {
  const statements = [
    `create table adoption_order_pet (
      ${id},
      order_id ${integer} not null references adoption_order (id),
      pet_id ${integer} not null
    )`,
    'create index adoption_order_pet_by_pet on adoption_order_pet (pet_id, order_id)',
    `insert into adoption_order_pet (order_id, pet_id)
      select adoption_order.id, cast(listed.value as ${integer}) from adoption_order, ${listed} as listed
      where also_pet_ids is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
