import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import { int64 } from '../http/int64.ts'
import * as organizations from '../organizations/store.ts'
import * as petPhotos from '../pets/photos.ts'
import * as pets from '../pets/store.ts'
import { MAX_PHOTOS, type PhotoPatch } from './schema.ts'
import { type KeptPhoto, keptPhotos } from './storage/kept.ts'

// The photos of animals and organizations, whose rows show them, and the changes of photos.

export type OwnerKind = 'pet' | 'organization'

/** Who makes a change: a key, or null for a command, which the history does not tell of. */
export type By = Omit<Actor, 'keyId'> & { keyId: number | null }

export interface Owner {
  kind: OwnerKind
  id: number
}

/** An owner as it was read. */
interface Read {
  /** JSON, as `keptPhotos` reads it. */
  photos: string | null
  organizationId: number | undefined
  /** @returns false when another transaction was faster */
  replace(photos: string | null, by: By, now: number): Promise<boolean>
}

const READERS: Record<OwnerKind, (db: Db, id: number) => Promise<Read | undefined>> = {
  async pet(db, id) {
    const found = await pets.find(db, id)
    if (!found) return undefined
    const { photos, pet } = found
    const replace: Read['replace'] = (after, by, now) => petPhotos.replace(db, found, after, by, now)
    return { photos, organizationId: pet.organizationId, replace }
  },
  async organization(db, id) {
    const found = await organizations.find(db, id)
    if (!found) return undefined
    const replace: Read['replace'] = (after, _by, now) => organizations.setPhotos(db, found, after, now)
    return { photos: found.photos, organizationId: found.id, replace }
  },
}

/** The id of an owner, as a path names it. @throws {ApiError} for what can be the id of none */
export function ownerOf(kind: OwnerKind, id: string): Owner {
  const read = int64(id)
  if (read === undefined) throw notFound(kind)
  return { kind, id: read }
}

/** @throws {ApiError} pet_not_found, organization_not_found */
async function read(db: Db, { kind, id }: Owner): Promise<Read> {
  const found = await READERS[kind](db, id)
  if (!found) throw notFound(kind)
  return found
}

/** @throws {ApiError} pet_not_found, organization_not_found */
export async function list(db: Db, owner: Owner): Promise<KeptPhoto[]> {
  return keptPhotos((await read(db, owner)).photos)
}

/** As `list`, for a caller who is about to change them. @throws {ApiError} other_organization too */
export async function listToChange(
  db: Db,
  owner: Owner,
  by: Pick<Actor, 'organizationId'>,
): Promise<KeptPhoto[]> {
  const found = await read(db, owner)
  requireOwn(by, found.organizationId)
  return keptPhotos(found.photos)
}

/**
 * Replaces the photos of an owner.
 *
 * @param edit is called again after another transaction was faster, with what that one left
 * @throws {ApiError} as `listToChange`, and what `edit` throws
 */
async function editPhotos(
  db: Db,
  owner: Owner,
  by: By,
  now: number,
  edit: (before: KeptPhoto[]) => KeptPhoto[],
): Promise<void> {
  for (;;) {
    const found = await read(db, owner)
    requireOwn(by, found.organizationId)
    const after = edit(keptPhotos(found.photos))
    const text = after.length > 0 ? JSON.stringify(after) : null
    if (text === found.photos || (await found.replace(text, by, now))) return
  }
}

function notFound(kind: OwnerKind): ApiError {
  return new ApiError(`${kind}_not_found`)
}

/** Changes of the photos of one owner, and its removal, are made one after the other. */
const lockPhotos = (db: Db, { kind, id }: Owner): Promise<void> =>
  dialectOf(db).waitInHand(db, `photos of ${kind} ${id}`)

/** A photo whose first files are there. */
export interface NewPhoto extends Omit<KeptPhoto, 'id'> {
  /** SHA-256 of what was sent. */
  digest: string
}

/** A photo, and whether this request added it. */
export interface Added {
  photo: KeptPhoto
  isNew: boolean
}

const columnOf = ({ kind }: Owner) => `${kind}_id` as const

/** The one of these photos of an owner that was made of the same bytes. */
export async function findSame(
  db: Db,
  owner: Owner,
  photos: KeptPhoto[],
  digest: string,
): Promise<KeptPhoto | undefined> {
  const row = await db
    .selectFrom('photo')
    .select('id')
    .where(columnOf(owner), '=', owner.id)
    .where('digest', '=', digest)
    .executeTakeFirst()
  return row && photos.find(({ id }) => id === row.id)
}

/** @throws {ApiError} too_many_photos */
export function requireRoom(photos: KeptPhoto[]): void {
  if (photos.length >= MAX_PHOTOS) throw new ApiError('too_many_photos')
}

/**
 * Adds a photo; the same bytes are not added a second time.
 *
 * @throws {ApiError} pet_not_found, organization_not_found, other_organization, too_many_photos
 */
export async function addPhoto(
  db: Db,
  owner: Owner,
  { digest, ...photo }: NewPhoto,
  by: By,
  now: number,
): Promise<Added> {
  await lockPhotos(db, owner)
  const before = await listToChange(db, owner, by)
  const same = await findSame(db, owner, before, digest)
  if (same) {
    // The new files belong to no photo.
    await forgetFiles(db, [photo.hash], now)
    return { photo: same, isNew: false }
  }
  requireRoom(before)
  const { id } = await db
    .insertInto('photo')
    .values({ [columnOf(owner)]: owner.id, hash: photo.hash, digest, pending: 1, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const added = { id, ...photo }
  await editPhotos(db, owner, by, now, (photos) => [...photos, added])
  return { photo: added, isNew: true }
}

/** Changes nothing: the Idempotency-Key of a request keeps that its photo was there already. */
export async function keepFoundPhoto(_db: Db, found: Added): Promise<Added> {
  return found
}

/** @throws {ApiError} photo_not_found, other_organization */
export async function updatePhoto(
  db: Db,
  owner: Owner,
  id: number,
  { alt, position }: PhotoPatch,
  by: By,
  now: number,
): Promise<KeptPhoto> {
  await lockPhotos(db, owner)
  let changed: KeptPhoto | undefined
  await editPhotos(db, owner, by, now, (before) => {
    const index = indexOf(before, id)
    const { alt: said, ...rest } = before[index] as KeptPhoto
    const words = alt === undefined ? said : (alt ?? undefined)
    changed = { ...rest, ...(words !== undefined && { alt: words }) }
    return before.toSpliced(index, 1).toSpliced((position ?? index + 1) - 1, 0, changed)
  })
  return changed as unknown as KeptPhoto
}

/** @throws {ApiError} photo_not_found, other_organization */
export async function deletePhoto(db: Db, owner: Owner, id: number, by: By, now: number): Promise<void> {
  await lockPhotos(db, owner)
  await editPhotos(db, owner, by, now, (before) => before.toSpliced(indexOf(before, id), 1))
  await forget(db, owner, now, id)
}

/** @throws {ApiError} photo_not_found */
export function indexOf(photos: KeptPhoto[], id: number): number {
  const index = photos.findIndex((photo) => photo.id === id)
  if (index < 0) throw new ApiError('photo_not_found')
  return index
}

/** Before its owner is removed: a job removes the files of all its photos. */
export async function forgetAll(db: Db, owner: Owner, now: number): Promise<void> {
  await lockPhotos(db, owner)
  await forget(db, owner, now)
}

/** @throws {ApiError} organization_not_found, organization_in_use */
export async function deleteOrganization(db: Db, id: number, now: number): Promise<void> {
  await forgetAll(db, { kind: 'organization', id }, now)
  await organizations.deleteOrganization(db, id)
}

async function forget(db: Db, owner: Owner, now: number, id?: number): Promise<void> {
  let rows = db.deleteFrom('photo').where(columnOf(owner), '=', owner.id)
  if (id !== undefined) rows = rows.where('id', '=', id)
  const gone = await rows.returning('hash').execute()
  await forgetFiles(
    db,
    gone.map(({ hash }) => hash),
    now,
  )
}

async function forgetFiles(db: Db, hashes: string[], now: number): Promise<void> {
  if (hashes.length === 0) return
  await db
    .insertInto('removed_photo')
    .values(hashes.map((hash) => ({ hash, removed_at: now })))
    .execute()
}

export async function hasAny(db: Db): Promise<boolean> {
  return (await db.selectFrom('photo').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** What the jobs do one step of. */
const STEP = 100

export async function hasRemoved(db: Db): Promise<boolean> {
  return (await removed(db, 1)).length > 0
}

export async function removed(db: Db, limit = STEP): Promise<string[]> {
  const rows = await db.selectFrom('removed_photo').select('hash').orderBy('hash').limit(limit).execute()
  return rows.map(({ hash }) => hash)
}

/** Their files are gone. */
export async function photoFilesRemoved(db: Db, hashes: string[]): Promise<void> {
  await db.deleteFrom('removed_photo').where('hash', 'in', hashes).execute()
}

/** The first photo of which files are still to be made. @param after the id of another one */
export async function pending(db: Db, after = 0): Promise<{ id: number; hash: string } | undefined> {
  const rows = db.selectFrom('photo').select(['id', 'hash']).where('pending', '=', 1).where('id', '>', after)
  return rows.orderBy('id').limit(1).executeTakeFirst()
}

/** All files of a photo are there, or those that lack are made when somebody asks. */
export async function photoFilesMade(db: Db, hash: string): Promise<void> {
  await db.updateTable('photo').set({ pending: 0 }).where('hash', '=', hash).execute()
}

/** Those of the hashes that are somebody's. */
export async function known(db: Db, hashes: string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('photo').select('hash').where('hash', 'in', hashes).execute()
  return new Set(rows.map(({ hash }) => hash))
}
