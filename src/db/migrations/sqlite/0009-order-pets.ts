import type { Kysely } from 'kysely'
import { addOrderPets } from '../order-pets.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addOrderPets(db, {
    id: 'id integer primary key autoincrement',
    integer: 'integer',
    listed: 'json_each(also_pet_ids)',
  })
}
