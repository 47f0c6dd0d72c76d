import { type Kysely, sql } from 'kysely'

/**
 * Of both engines, over the table with the new column: an id is unique for the organization whose file has
 * it. Two shelters that use the same program have the same ids. Without one it is of an operator's file.
 */
export async function indexSourceOwners(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      'create unique index pet_source_by_id on pet_source (source, source_id, coalesce(organization_id, 0))',
    )
    .execute(db)
}
