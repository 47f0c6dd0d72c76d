import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { isMatch } from '../http/conditional.ts'
import type { PetHistory, PetPatch } from './schema.ts'
import * as pets from './store.ts'
import { checkMove } from './transition.ts'

/** Who changes what, when (Unix time in milliseconds), and under which condition. */
export interface Intent {
  id: bigint
  keyId: number
  now: number
  ifMatch: string | undefined
}

type Changes = PetHistory[number]['changes']

/**
 * Changes an animal and writes down what became of what; a patch that changes nothing leaves no trace.
 *
 * @throws {ApiError} pet_not_found, precondition_failed, invalid_status_transition, validation_failed
 */
export async function updatePet(
  db: Db,
  patch: PetPatch,
  { id, keyId, now, ifMatch }: Intent,
): Promise<pets.StoredPet> {
  const before = await pets.find(db, id)
  if (!before) throw new ApiError('pet_not_found')
  if (!isMatch(ifMatch, before.etag)) throw new ApiError('precondition_failed')
  if (patch.status) checkMove(before.pet.status, patch.status)
  const changes = changesOf(before.pet, patch)
  if (Object.keys(changes).length === 0) return before

  const after = await pets.update(db, before, patch, now)
  // Somebody was faster, where a store lets two transactions read at once: judged again, on what is there.
  if (!after) return updatePet(db, patch, { id, keyId, now, ifMatch })
  await db
    .insertInto('pet_change')
    .values({ pet_id: after.pet.id, at: now, key_id: keyId, changes: JSON.stringify(changes) })
    .execute()
  return after
}

function changesOf(pet: pets.StoredPet['pet'], { name, categoryId, status }: PetPatch): Changes {
  const wanted = Object.entries({ name, categoryId: categoryId && Number(categoryId), status })
  const changed = wanted.filter(([member, to]) => to !== undefined && to !== pet[member as keyof typeof pet])
  return Object.fromEntries(
    changed.map(([member, to]) => [member, { from: pet[member as keyof typeof pet], to }]),
  )
}

/** @throws {ApiError} pet_not_found, precondition_failed */
export async function deletePet(db: Db, { id, ifMatch }: Intent): Promise<void> {
  const before = await pets.find(db, id)
  if (!before) throw new ApiError('pet_not_found')
  if (!isMatch(ifMatch, before.etag)) throw new ApiError('precondition_failed')
  await db.deleteFrom('pet').where('id', '=', before.pet.id).execute()
}

const MOST_CHANGES = 100

/** Newest first; undefined when there is no such animal. */
export async function history(db: Db, id: bigint): Promise<PetHistory | undefined> {
  const stored = await pets.find(db, id)
  if (!stored) return undefined
  const rows = await db
    .selectFrom('pet_change')
    .select(['at', 'key_id as keyId', 'changes'])
    .where('pet_id', '=', stored.pet.id)
    .orderBy('id', 'desc')
    .limit(MOST_CHANGES)
    .execute()
  return rows.map(({ at, keyId, changes }) => ({
    at: new Date(at).toISOString(),
    keyId,
    changes: JSON.parse(changes),
  }))
}
