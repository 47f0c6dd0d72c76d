import type { Kysely } from 'kysely'
import { addSearch, ROW_TRIGGERS } from '../search.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const types = { integer: 'integer', bytes: 'blob', text: 'text', options: 'strict, without rowid' }
  await addSearch(db, types, ROW_TRIGGERS)
}
