import type { TestContext } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { MIGRATIONS } from '../db/migrations/all.ts'

// A made-up next release with one more migration, for tests of upgrades.

export const NEXT_MIGRATION = '9000-made-up'

const STATEMENTS = [
  "alter table pet add column chip text not null default ''",
  "update pet set chip = 'chip ' || id",
  'create index pet_by_chip on pet (chip)',
  'create table vet_visit (pet_id bigint not null references pet (id), at bigint not null)',
  'insert into vet_visit (pet_id, at) select id, created_at from pet',
]

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** Makes this process act as the next release. @returns a function that reverts this */
export function becomeNextRelease(): () => void {
  for (const migrations of Object.values(MIGRATIONS)) Object.assign(migrations, { [NEXT_MIGRATION]: { up } })
  return () => {
    for (const migrations of Object.values(MIGRATIONS))
      delete (migrations as Record<string, unknown>)[NEXT_MIGRATION]
  }
}

/** Makes this process act as the next release until the test ends. */
export function asNextRelease(t: TestContext): void {
  t.after(becomeNextRelease())
}
