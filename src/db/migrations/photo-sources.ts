import { type Kysely, sql } from 'kysely'

/**
 * Of both engines. Which addresses the photos of imported animals came from. A photo that was removed keeps
 * its row here, so that it does not come back.
 *
 * @param id the column, as the engine makes ids
 */
export async function addPhotoSources(db: Kysely<unknown>, id: string, integer: string): Promise<void> {
  const statement = `create table photo_source (
    ${id},
    pet_id ${integer} not null references pet (id) on delete cascade,
    address_hash text not null,
    photo_id ${integer} not null,
    unique (pet_id, address_hash)
  )`
  await sql.raw(statement).execute(db)
}
