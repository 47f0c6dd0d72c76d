import type { Kysely } from 'kysely'
import { addStaff } from '../staff.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  const options = { rows: 'strict', hashes: 'strict, without rowid' }
  await addStaff(db, { id: 'id integer primary key autoincrement', integer: 'integer', options })
}
