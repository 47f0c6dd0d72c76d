import type { Db } from '../db/tables.ts'
import { parsePhotos } from '../photos/storage/stored-photo.ts'
import { PHOTOS } from './fields.ts'
import { recordChange } from './history.ts'
import { drawVersion, type StoredPet } from './store.ts'

/**
 * Replaces the photos of an animal. Records the ids and alt texts of the photos in the history.
 *
 * @returns false if the animal has changed since `before` was read
 */
export async function replace(
  db: Db,
  before: StoredPet,
  photos: string | null,
  by: { keyId: number | null },
  now: number,
): Promise<boolean> {
  if (!(await setPhotos(db, before, photos, now))) return false
  const summarize = (text: string | null) =>
    text === null ? undefined : parsePhotos(text).map(({ id, alt }) => ({ id, alt }))
  await recordChange(
    db,
    before.pet,
    { [PHOTOS]: { from: summarize(before.photos), to: summarize(photos) } },
    by.keyId,
    now,
  )
  return true
}

async function setPhotos(db: Db, before: StoredPet, photos: string | null, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pet')
    .set({ photos, updated_at: now, version: drawVersion() })
    .where('id', '=', before.pet.id)
    .where('version', '=', before.row.version)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
