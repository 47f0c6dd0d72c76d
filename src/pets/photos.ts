import type { Db } from '../db/tables.ts'
import { recordEvents } from '../events/log.ts'
import { photoChanges } from '../events/photos.ts'
import { parsePhotos } from '../photos/storage/stored-photo.ts'
import { PHOTOS } from './fields.ts'
import { recordChange } from './history.ts'
import { etagOfPet } from './row.ts'
import { drawVersion, type StoredPet } from './store.ts'

/** Replaces the photos of a locked animal. Records their ids and alt texts in the history. */
export async function replace(
  db: Db,
  before: StoredPet,
  photos: string | null,
  by: { keyId: number | null },
  now: number,
): Promise<void> {
  const version = drawVersion()
  await db
    .updateTable('pet')
    .set({ photos, updated_at: now, version })
    .where('id', '=', before.pet.id)
    .execute()
  const summarize = (text: string | null) =>
    text === null ? undefined : parsePhotos(text).map(({ id, alt }) => ({ id, alt }))
  const changes = { [PHOTOS]: { from: summarize(before.photos), to: summarize(photos) } }
  await recordChange(db, before.pet, changes, by.keyId, now)
  const { id: petId, organizationId } = before.pet
  const data = { petId, version: etagOfPet(petId, version) }
  const events = photoChanges('pet', parsePhotos(before.photos), parsePhotos(photos))
  await recordEvents(
    db,
    events.map(({ type, photoId }) => ({
      type,
      audience: 'public',
      organizationId,
      data: photoId === undefined ? { ...data, changed: [PHOTOS] } : { ...data, photoId },
    })),
    now,
  )
}
