import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwnOrganization } from '../http/caller.ts'
import { parseInt64 } from '../http/int64.ts'
import * as organizations from '../organizations/store.ts'
import * as petPhotos from '../pets/photos.ts'
import * as pets from '../pets/store.ts'
import { MAX_PHOTOS, type PhotoPatch } from './schema.ts'
import { parsePhotos, type StoredPhoto } from './storage/stored-photo.ts'

// The photos of animals and organizations, and their changes. The row of each owner contains a copy of its
// photos. Responses and pages use the copy.

export type OwnerKind = 'pet' | 'organization'

/** The author of a change. The key is null for a command, whose changes are not in the history. */
export type PhotoActor = Omit<Actor, 'keyId'> & { keyId: number | null }

export interface Owner {
  kind: OwnerKind
  id: number
}

/** The photos of an owner at the time of the read. */
interface OwnerPhotos {
  /** JSON that `parsePhotos` reads. */
  photos: string | null
  organizationId: number | undefined
  /** @throws {ApiError} followed_animal, followed_organization */
  requireOwn(): void
  /** The owner must be locked. */
  replace(photos: string | null, by: PhotoActor, now: number): Promise<void>
}

const READERS: Record<OwnerKind, (db: Db, id: number) => Promise<OwnerPhotos | undefined>> = {
  async pet(db, id) {
    const found = await pets.find(db, id)
    if (!found) return undefined
    const { photos, pet } = found
    const replace: OwnerPhotos['replace'] = (after, by, now) => petPhotos.replace(db, found, after, by, now)
    const requireOwn = () => pets.requireNoCopy(found.row)
    return { photos, organizationId: pet.organizationId, requireOwn, replace }
  },
  async organization(db, id) {
    const found = await organizations.find(db, id)
    if (!found) return undefined
    const replace: OwnerPhotos['replace'] = (after, _by, now) =>
      organizations.setPhotos(db, found, after, now)
    const requireOwn = () => organizations.requireNoCopy(found)
    return { photos: found.photos, organizationId: found.id, requireOwn, replace }
  },
}

/** Parses the id of an owner in a path. @throws {ApiError} pet_not_found, organization_not_found */
export function ownerOf(kind: OwnerKind, id: string): Owner {
  const parsedId = parseInt64(id)
  if (parsedId === undefined) throw notFound(kind)
  return { kind, id: parsedId }
}

/** @throws {ApiError} pet_not_found, organization_not_found */
async function readOwner(db: Db, { kind, id }: Owner): Promise<OwnerPhotos> {
  const found = await READERS[kind](db, id)
  if (!found) throw notFound(kind)
  return found
}

/** @throws {ApiError} pet_not_found, organization_not_found */
export async function list(db: Db, owner: Owner): Promise<StoredPhoto[]> {
  return parsePhotos((await readOwner(db, owner)).photos)
}

/**
 * Like `list`, for a caller that will change the photos.
 * @throws {ApiError} also other_organization, followed_animal, followed_organization
 */
export async function listToChange(
  db: Db,
  owner: Owner,
  by: Pick<Actor, 'organizationId'>,
): Promise<StoredPhoto[]> {
  return parsePhotos((await readToChange(db, owner, by)).photos)
}

async function readToChange(db: Db, owner: Owner, by: Pick<Actor, 'organizationId'>): Promise<OwnerPhotos> {
  const found = await readOwner(db, owner)
  requireOwnOrganization(by, found.organizationId)
  found.requireOwn()
  return found
}

/** Locks an owner until the end of the transaction. Other changes of it, and of its photos, wait. */
async function lockOwner(db: Db, { kind, id }: Owner): Promise<void> {
  const row = db.selectFrom(kind).select('id').where('id', '=', id)
  await dialectOf(db).lockRows(row, 'wait').execute()
}

/** Replaces the photos of an owner. @throws {ApiError} as `listToChange`, and what `edit` throws */
async function editPhotos(
  db: Db,
  owner: Owner,
  by: PhotoActor,
  now: number,
  edit: (before: StoredPhoto[]) => StoredPhoto[],
): Promise<void> {
  await lockOwner(db, owner)
  const { photos, replace } = await readToChange(db, owner, by)
  const after = edit(parsePhotos(photos))
  const text = after.length > 0 ? JSON.stringify(after) : null
  if (text !== photos) await replace(text, by, now)
}

function notFound(kind: OwnerKind): ApiError {
  return new ApiError(`${kind}_not_found`)
}

/** A photo whose first files are stored. */
export interface NewPhoto extends Omit<StoredPhoto, 'id'> {
  /** SHA-256 of the uploaded bytes. */
  digest: string
}

/** A photo, and whether this request added it. If not, the photo existed before. */
export interface AddPhotoResult {
  photo: StoredPhoto
  isNew: boolean
}

const columnOf = ({ kind }: Owner) => `${kind}_id` as const

/** Finds the photo of an owner that was made from the same bytes. */
export async function findByDigest(
  db: Db,
  owner: Owner,
  photos: StoredPhoto[],
  digest: string,
): Promise<StoredPhoto | undefined> {
  const row = await db
    .selectFrom('photo')
    .select('id')
    .where(columnOf(owner), '=', owner.id)
    .where('digest', '=', digest)
    .executeTakeFirst()
  return row && photos.find(({ id }) => id === row.id)
}

/** @throws {ApiError} too_many_photos */
export function requireRoom(photos: StoredPhoto[]): void {
  if (photos.length >= MAX_PHOTOS) throw new ApiError('too_many_photos')
}

/**
 * Adds a photo, unless the owner already has one from the same bytes.
 * @throws {ApiError} too_many_photos, and as `listToChange`
 */
export async function addPhoto(
  db: Db,
  owner: Owner,
  { digest, ...photo }: NewPhoto,
  by: PhotoActor,
  now: number,
): Promise<AddPhotoResult> {
  await lockOwner(db, owner)
  const { photos, replace } = await readToChange(db, owner, by)
  const before = parsePhotos(photos)
  const existing = await findByDigest(db, owner, before, digest)
  if (existing) {
    // No photo uses the new files, so the job removes them.
    await queueFileRemoval(db, [photo.hash], now)
    return { photo: existing, isNew: false }
  }
  requireRoom(before)
  const { id } = await db
    .insertInto('photo')
    .values({ [columnOf(owner)]: owner.id, hash: photo.hash, digest, pending: 1, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const added = { id, ...photo }
  await replace(JSON.stringify([...before, added]), by, now)
  return { photo: added, isNew: true }
}

/** Changes nothing. With `writeOnce`, it stores under the Idempotency-Key that the photo existed already. */
export async function recordExistingPhoto(_db: Db, found: AddPhotoResult): Promise<AddPhotoResult> {
  return found
}

/** @throws {ApiError} photo_not_found, and as `listToChange` */
export async function updatePhoto(
  db: Db,
  owner: Owner,
  id: number,
  { alt, position }: PhotoPatch,
  by: PhotoActor,
  now: number,
): Promise<StoredPhoto> {
  let changed: StoredPhoto | undefined
  await editPhotos(db, owner, by, now, (before) => {
    const index = getPhotoIndex(before, id)
    const { alt: oldAlt, ...rest } = before[index] as StoredPhoto
    const newAlt = alt === undefined ? oldAlt : (alt ?? undefined)
    changed = { ...rest, ...(newAlt !== undefined && { alt: newAlt }) }
    return before.toSpliced(index, 1).toSpliced((position ?? index + 1) - 1, 0, changed)
  })
  return changed as unknown as StoredPhoto
}

/** @throws {ApiError} photo_not_found, and as `listToChange` */
export async function deletePhoto(
  db: Db,
  owner: Owner,
  id: number,
  by: PhotoActor,
  now: number,
): Promise<void> {
  await editPhotos(db, owner, by, now, (before) => before.toSpliced(getPhotoIndex(before, id), 1))
  await deletePhotos(db, owner, now, id)
}

/** @throws {ApiError} photo_not_found */
export function getPhotoIndex(photos: StoredPhoto[], id: number): number {
  const index = photos.findIndex((photo) => photo.id === id)
  if (index < 0) throw new ApiError('photo_not_found')
  return index
}

/** @throws {ApiError} organization_not_found, followed_organization, organization_in_use */
export async function deleteOrganization(db: Db, id: number, now: number): Promise<void> {
  const owner: Owner = { kind: 'organization', id }
  await lockOwner(db, owner)
  organizations.requireNoCopy(await organizations.get(db, id))
  await deletePhotos(db, owner, now)
  await organizations.deleteOrganization(db, id, now)
}

/** Removes the rows of one or all photos of a locked owner. A job removes the files. */
export async function deletePhotos(db: Db, owner: Owner, now: number, id?: number): Promise<void> {
  let rows = db.deleteFrom('photo').where(columnOf(owner), '=', owner.id)
  if (id !== undefined) rows = rows.where('id', '=', id)
  const hashes = (await rows.returning('hash').execute()).map(({ hash }) => hash)
  await queueFileRemoval(db, hashes, now)
}

async function queueFileRemoval(db: Db, hashes: string[], now: number): Promise<void> {
  if (hashes.length === 0) return
  await db
    .insertInto('removed_photo')
    .values(hashes.map((hash) => ({ hash, removed_at: now })))
    .execute()
}

export async function hasAny(db: Db): Promise<boolean> {
  return (await db.selectFrom('photo').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Maximum number of photos in one step of a job. */
const BATCH_SIZE = 100

export async function hasRemoved(db: Db): Promise<boolean> {
  return (await listRemovedHashes(db, 1)).length > 0
}

export async function listRemovedHashes(db: Db, limit = BATCH_SIZE): Promise<string[]> {
  const rows = await db.selectFrom('removed_photo').select('hash').orderBy('hash').limit(limit).execute()
  return rows.map(({ hash }) => hash)
}

/** Records that the files of these photos are removed. */
export async function clearRemovedPhotos(db: Db, hashes: string[]): Promise<void> {
  await db.deleteFrom('removed_photo').where('hash', 'in', hashes).execute()
}

/** Finds the next photo that still needs files. @param after the id of the previous photo */
export async function findPending(db: Db, after = 0): Promise<{ id: number; hash: string } | undefined> {
  const rows = db.selectFrom('photo').select(['id', 'hash']).where('pending', '=', 1).where('id', '>', after)
  return rows.orderBy('id').limit(1).executeTakeFirst()
}

/** Records that a photo needs no more files from the job. Missing files are made on request. */
export async function markPhotoFilesMade(db: Db, hash: string): Promise<void> {
  await db.updateTable('photo').set({ pending: 0 }).where('hash', '=', hash).execute()
}

/** Returns the given hashes that belong to a photo. */
export async function listUsedHashes(db: Db, hashes: string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('photo').select('hash').where('hash', 'in', hashes).execute()
  return new Set(rows.map(({ hash }) => hash))
}
