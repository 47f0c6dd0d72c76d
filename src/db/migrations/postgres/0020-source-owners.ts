import { type Kysely, sql } from 'kysely'
import { indexSourceOwners } from '../source-owners.ts'

const STATEMENTS = [
  `alter table pet_source
    add column organization_id bigint references organization (id) on delete cascade,
    drop constraint pet_source_source_source_id_key`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
  await indexSourceOwners(db)
}
