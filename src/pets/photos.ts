import type { Db } from '../db/tables.ts'
import { keptPhotos } from '../photos/storage/kept.ts'
import { PHOTOS } from './fields.ts'
import { record } from './history.ts'
import { drawVersion, type StoredPet } from './store.ts'

/**
 * Shows other photos of an animal, and writes down that it does: which there were, and what was said of them.
 *
 * @returns false when the animal is no longer as it was `before`
 */
export async function replace(
  db: Db,
  before: StoredPet,
  photos: string | null,
  by: { keyId: number | null },
  now: number,
): Promise<boolean> {
  if (!(await setPhotos(db, before, photos, now))) return false
  const told = (text: string | null) =>
    text === null ? undefined : keptPhotos(text).map(({ id, alt }) => ({ id, alt }))
  await record(
    db,
    before.pet.id,
    { [PHOTOS]: { from: told(before.photos), to: told(photos) } },
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
