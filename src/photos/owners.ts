import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import { int64 } from '../http/int64.ts'
import * as organizations from '../organizations/store.ts'
import * as petPhotos from '../pets/photos.ts'
import * as pets from '../pets/store.ts'
import { type KeptPhoto, keptPhotos } from './storage/kept.ts'

// What has photos: the row of an animal or an organization shows them.

export type OwnerKind = 'pet' | 'organization'

/** Who does it: a key, or whoever runs a command, of whom no history tells. */
export type By = Omit<Actor, 'keyId'> & { keyId: number | null }

export interface Owner {
  kind: OwnerKind
  id: bigint
}

/** An owner as it was read. */
interface Read {
  photos: string | null
  /** Whose it is. */
  organizationId: number | undefined
  /** @returns false when somebody was faster */
  replace(photos: string | null, by: By, now: number): Promise<boolean>
}

const READERS: Record<OwnerKind, (db: Db, id: bigint) => Promise<Read | undefined>> = {
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

/** The same for somebody who is about to change them. @throws {ApiError} other_organization too */
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
 * Puts others in the place of an owner's photos.
 *
 * @param change may be asked again, of what somebody who was faster has left
 * @throws {ApiError} as `listToChange`, and what `change` throws
 */
export async function change(
  db: Db,
  owner: Owner,
  by: By,
  now: number,
  change: (before: KeptPhoto[]) => KeptPhoto[],
): Promise<void> {
  for (;;) {
    const found = await read(db, owner)
    requireOwn(by, found.organizationId)
    const after = change(keptPhotos(found.photos))
    const text = after.length > 0 ? JSON.stringify(after) : null
    if (text === found.photos || (await found.replace(text, by, now))) return
  }
}

function notFound(kind: OwnerKind): ApiError {
  return new ApiError(`${kind}_not_found`)
}
