import type { Kysely } from 'kysely'
import { addSearch, STATEMENT_TRIGGERS } from '../search.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const types = { integer: 'bigint', bytes: 'bytea', text: 'text collate "C"', options: '' }
  await addSearch(db, types, STATEMENT_TRIGGERS)
}
