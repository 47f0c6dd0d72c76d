import { type Kysely, sql } from 'kysely'

/** As 0014-imported-files of the embedded database. */
const STATEMENTS = [
  // Files whose animals have no ids that tell them apart, so that one is not added twice. It outlives them.
  `create table imported_file (
    fingerprint text not null primary key check (length(fingerprint) between 1 and 200),
    first_pet_id bigint not null,
    imported_at bigint not null
  )`,
  // Where such files stood before, under a name that no source has.
  `insert into imported_file (fingerprint, first_pet_id, imported_at)
    select source_id, pet_id, 0 from pet_source where source = '\u0001files'`,
  `delete from pet_source where source = '\u0001files'`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
