import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  // Names are unique whatever the case of their letters; SQLite's own folding knows those of ASCII only. The ones
  // that are there already came with the first migration, and have no others.
  `alter table category add column folded_name text not null default ''`,
  'update category set folded_name = lower(name)',
  'create unique index category_by_folded_name on category (folded_name)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
