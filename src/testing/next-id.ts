import { sql } from 'kysely'
import { openForCommand } from '../db/open-database.ts'
import { isPostgres } from '../db/store-url.ts'

export async function setNextPetId(databaseUrl: string, id: number): Promise<void> {
  const { db, close } = await openForCommand(databaseUrl)
  const next = isPostgres(databaseUrl)
    ? sql`select setval(pg_get_serial_sequence('pet', 'id'), ${id - 1})`
    : sql`update sqlite_sequence set seq = ${id - 1} where name = 'pet'`
  await next.execute(db)
  await close()
}
