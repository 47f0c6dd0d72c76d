import { type Kysely, sql } from 'kysely'
import { ORDER_INDEXES } from '../order-indexes.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of ORDER_INDEXES) await sql.raw(statement).execute(db)
}
