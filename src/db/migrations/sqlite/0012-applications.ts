import type { Kysely } from 'kysely'
import { addApplications } from '../applications.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await addApplications(db, {
    id: 'id integer primary key autoincrement',
    integer: 'integer',
    options: 'strict',
  })
}
