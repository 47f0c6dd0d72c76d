import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import * as organizations from '../organizations/store.ts'
import { type By, change, list, listToChange, type Owner } from './owners.ts'
import { MOST_PHOTOS, type PhotoPatch } from './schema.ts'
import type { KeptPhoto } from './storage/kept.ts'

const columnOf = ({ kind }: Owner) => `${kind}_id` as const

/** Changes of the photos of one owner are made one after the other, with its removal. */
const inTurn = (db: Db, { kind, id }: Owner): Promise<void> =>
  dialectOf(db).waitInHand(db, `photos of ${kind} ${id}`)

/** A photo whose first files are there. */
export interface NewPhoto extends Omit<KeptPhoto, 'id'> {
  /** SHA-256 of what was sent. */
  digest: string
}

/** A photo of which only that is known, before its files are made. */
export type SentPhoto = Pick<NewPhoto, 'digest'>

/** A photo, and whether it is one that was there. */
export interface Added {
  photo: KeptPhoto
  isNew: boolean
}

/** The photo of this owner that was made of the same bytes. */
export async function findSame(db: Db, owner: Owner, digest: string): Promise<KeptPhoto | undefined> {
  const row = await db
    .selectFrom('photo')
    .select('id')
    .where(columnOf(owner), '=', owner.id)
    .where('digest', '=', digest)
    .executeTakeFirst()
  return row && (await list(db, owner)).find(({ id }) => id === row.id)
}

/**
 * @throws {ApiError} pet_not_found, organization_not_found, other_organization, too_many_photos;
 *   photo_not_found when its files are to be made first
 */
export async function addPhoto(
  db: Db,
  owner: Owner,
  { digest, ...photo }: NewPhoto | SentPhoto,
  by: By,
  now: number,
): Promise<Added> {
  await inTurn(db, owner)
  const before = await listToChange(db, owner, by)
  const there = await findSame(db, owner, digest)
  if (there) {
    // Its files are another's double: they are nobody's.
    if ('hash' in photo) await forgetFiles(db, [photo.hash], now)
    return { photo: there, isNew: false }
  }
  requireRoom(before)
  if (!('hash' in photo)) throw new ApiError('photo_not_found')
  const { id } = await db
    .insertInto('photo')
    .values({ [columnOf(owner)]: owner.id, hash: photo.hash, digest, pending: 1, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const added = { id, ...photo }
  await change(db, owner, by, now, (photos) => [...photos, added])
  return { photo: added, isNew: true }
}

/** @throws {ApiError} too_many_photos */
export function requireRoom(photos: KeptPhoto[]): void {
  if (photos.length >= MOST_PHOTOS) throw new ApiError('too_many_photos')
}

/** @throws {ApiError} photo_not_found, other_organization */
export async function updatePhoto(
  db: Db,
  owner: Owner,
  id: bigint,
  { alt, position }: PhotoPatch,
  by: By,
  now: number,
): Promise<KeptPhoto> {
  await inTurn(db, owner)
  let changed: KeptPhoto | undefined
  await change(db, owner, by, now, (before) => {
    const index = indexOf(before, id)
    const { alt: said, ...rest } = before[index] as KeptPhoto
    const words = alt === undefined ? said : (alt ?? undefined)
    changed = { ...rest, ...(words !== undefined && { alt: words }) }
    return before.toSpliced(index, 1).toSpliced((position ?? index + 1) - 1, 0, changed)
  })
  return changed as unknown as KeptPhoto
}

/** @throws {ApiError} photo_not_found, other_organization */
export async function deletePhoto(db: Db, owner: Owner, id: bigint, by: By, now: number): Promise<void> {
  await inTurn(db, owner)
  await change(db, owner, by, now, (before) => before.toSpliced(indexOf(before, id), 1))
  await forget(db, owner, now, Number(id))
}

/** @throws {ApiError} photo_not_found */
export function indexOf(photos: KeptPhoto[], id: bigint): number {
  const index = photos.findIndex((photo) => BigInt(photo.id) === id)
  if (index < 0) throw new ApiError('photo_not_found')
  return index
}

/** Before its owner goes: all its photos are nobody's, and a job removes their files. */
export async function forgetAll(db: Db, owner: Owner, now: number): Promise<void> {
  await inTurn(db, owner)
  await forget(db, owner, now)
}

/** @throws {ApiError} organization_not_found, organization_in_use */
export async function deleteOrganization(db: Db, id: bigint, now: number): Promise<void> {
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
