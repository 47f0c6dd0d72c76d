import { isForeignKeyViolation } from '../db/engine-errors.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import * as photos from '../photos/store.ts'

/** Remembers up to this many addresses per animal, because some services change addresses in every export. */
const MAX_REMEMBERED = 100

/** The SHA-256 of a photo address. Addresses are not stored, because they may contain secrets. */
export interface PhotoSource {
  hash: string
  /** The hashes of all photo addresses of the animal, in order, including this one. */
  order: string[]
}

/** Ids of photos that were downloaded from these addresses, including removed photos. */
export async function findPhotoIds(db: Db, petId: number, hashes: string[]): Promise<Map<string, number>> {
  if (hashes.length === 0) return new Map()
  const rows = await db
    .selectFrom('photo_source')
    .select(['address_hash as hash', 'photo_id as photoId'])
    .where('pet_id', '=', petId)
    .where('address_hash', 'in', hashes)
    .execute()
  return new Map(rows.map(({ hash, photoId }) => [hash, photoId]))
}

/** Adds a photo at its position in the file, relative to the others. @throws {ApiError} as `addPhoto` */
export async function importPhoto(
  db: Db,
  petId: number,
  source: PhotoSource,
  photo: photos.NewPhoto,
  by: photos.PhotoActor,
  now: number,
): Promise<photos.AddPhotoResult> {
  const owner: photos.Owner = { kind: 'pet', id: petId }
  const added = await photos.addPhoto(db, owner, photo, by, now)
  if (added.isNew) {
    const photoIds = (await photos.list(db, owner)).map(({ id }) => id)
    const position = findPosition(source, await findPhotoIds(db, petId, source.order), photoIds)
    if (position < photoIds.length) await photos.updatePhoto(db, owner, added.photo.id, { position }, by, now)
  }
  await rememberPhoto(db, petId, source.hash, added.photo.id)
  return added
}

/**
 * Finds the position of a new photo. The photo comes after the closest preceding photo of the file that the
 * animal has. Without one, it comes before the closest following photo, or else last.
 * @param photoIds ids of the animal's photos, the new one last
 * @returns a position from 1
 */
function findPosition(
  { hash, order }: PhotoSource,
  idByHash: Map<string, number>,
  photoIds: number[],
): number {
  const positions = order.map((one) => photoIds.indexOf(idByHash.get(one) ?? 0) + 1)
  const index = order.indexOf(hash)
  const preceding = positions.slice(0, index).findLast((position) => position > 0)
  const following = positions.slice(index + 1).find((position) => position > 0)
  return preceding === undefined ? (following ?? photoIds.length) : preceding + 1
}

/** Remembers that an animal has the photo at this address. @throws {ApiError} pet_not_found */
export async function rememberPhoto(db: Db, petId: number, hash: string, photoId: number): Promise<void> {
  await db
    .insertInto('photo_source')
    .values({ pet_id: petId, address_hash: hash, photo_id: photoId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
    .catch((error) => {
      throw isForeignKeyViolation(error) ? new ApiError('pet_not_found') : error
    })
  const latest = db
    .selectFrom('photo_source')
    .select('id')
    .where('pet_id', '=', petId)
    .orderBy('id', 'desc')
    .limit(MAX_REMEMBERED)
  await db.deleteFrom('photo_source').where('pet_id', '=', petId).where('id', 'not in', latest).execute()
}
