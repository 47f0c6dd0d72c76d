import { type Kysely, sql } from 'kysely'

/** Under which areas the index of the search holds the animals of an organization: src/pets/held-areas.ts. */
export async function addSearchAreas(
  db: Kysely<unknown>,
  types: { integer: string; options: string },
): Promise<void> {
  const { integer, options } = types
  const statements = [
    `create table search_area (
      organization_id ${integer} primary key,
      country text,
      region text,
      former text not null,
      next_block ${integer}
    ) ${options}`,
    // What the index has of them is under no area yet: a job goes through all its blocks.
    `insert into search_area (organization_id, country, region, former, next_block)
      select id, country, region, '[]', 0 from organization`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
