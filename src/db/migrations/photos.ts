import { type Kysely, sql } from 'kysely'

/**
 * Of both engines. What is shown of photos stands in the row that shows it; here is whose they are, and what
 * files there have to be.
 *
 * @param id the column, as the engine makes ids
 */
export async function addPhotos(db: Kysely<unknown>, id: string, integer: string): Promise<void> {
  const owners = ['pet', 'organization']
  const statements = [
    ...owners.map((owner) => `alter table ${owner} add column photos text`),
    `create table photo (
      ${id},
      pet_id ${integer} references pet (id),
      organization_id ${integer} references organization (id),
      hash text not null unique,
      digest text not null,
      pending ${integer} not null,
      created_at ${integer} not null,
      check ((pet_id is null) <> (organization_id is null))
    )`,
    ...owners.map(
      (owner) => `create unique index photo_by_${owner} on photo (${owner}_id, digest)
        where ${owner}_id is not null`,
    ),
    'create index photo_pending on photo (id) where pending = 1',
    `create table removed_photo (hash text primary key, removed_at ${integer} not null)`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
