import { type Kysely, sql } from 'kysely'
import { JOB_TABLE } from '../jobs.ts'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`${JOB_TABLE.replaceAll('bigint', 'integer')} strict, without rowid`).execute(db)
}
