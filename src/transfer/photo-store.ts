import type { Db } from '../db/tables.ts'
import { isForeignKeyViolation } from '../db/violation.ts'
import { ApiError } from '../errors.ts'
import * as photos from '../photos/store.ts'

/** So many addresses are remembered of an animal: those of some services differ in each of their files. */
const MAX_REMEMBERED = 100

/** An address of a file, by its SHA-256: what is secret in an address stays in the file. */
export interface PhotoSource {
  hash: string
  /** Those that the file names of the animal, this one included, in their order. */
  order: string[]
}

/** Those of the addresses whose photos the animal has, or had until somebody removed them. */
export async function knownSources(db: Db, petId: number, hashes: string[]): Promise<Map<string, number>> {
  if (hashes.length === 0) return new Map()
  const rows = await db
    .selectFrom('photo_source')
    .select(['address_hash as hash', 'photo_id as photoId'])
    .where('pet_id', '=', petId)
    .where('address_hash', 'in', hashes)
    .execute()
  return new Map(rows.map(({ hash, photoId }) => [hash, photoId]))
}

/**
 * Adds a photo where the file has it among the others that came from there.
 *
 * @throws {ApiError} as `addPhoto`
 */
export async function importPhoto(
  db: Db,
  petId: number,
  source: PhotoSource,
  photo: photos.NewPhoto,
  by: photos.By,
  now: number,
): Promise<photos.Added> {
  const owner: photos.Owner = { kind: 'pet', id: petId }
  const added = await photos.addPhoto(db, owner, photo, by, now)
  if (added.isNew) {
    const shown = (await photos.list(db, owner)).map(({ id }) => id)
    const position = positionOf(source, await knownSources(db, petId, source.order), shown)
    if (position < shown.length) await photos.updatePhoto(db, owner, added.photo.id, { position }, by, now)
  }
  await rememberPhoto(db, petId, source.hash, added.photo.id)
  return added
}

/**
 * Behind the nearest photo that stands before it in the file, else before the nearest behind it, else last.
 *
 * @param shown ids of the animal's photos, the new one last
 * @returns from 1
 */
function positionOf({ hash, order }: PhotoSource, known: Map<string, number>, shown: number[]): number {
  const positions = order.map((one) => shown.indexOf(known.get(one) ?? 0) + 1)
  const index = order.indexOf(hash)
  const before = positions.slice(0, index).findLast((position) => position > 0)
  const behind = positions.slice(index + 1).find((position) => position > 0)
  return before === undefined ? (behind ?? shown.length) : before + 1
}

/** An animal has what is at this address. @throws {ApiError} pet_not_found */
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
