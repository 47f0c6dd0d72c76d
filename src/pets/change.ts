import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Conditions, mayChange } from '../http/conditional.ts'
import type { PetStatus } from './fields.ts'
import { MEMBERS, shownOf } from './fields.ts'
import type { Pet, PetHistory, PetPatch } from './schema.ts'
import * as pets from './store.ts'
import { checkMove } from './transition.ts'

/** Who changes what, when (Unix time in milliseconds), and under which conditions. */
export interface Intent {
  id: bigint
  keyId: number
  now: number
  conditions?: Conditions | undefined
}

/** Of orders, which know animals, while animals know no orders: one that is open moves its animal alone. */
export type HasOpenOrder = (db: Db, petId: bigint) => Promise<boolean>

type Changes = PetHistory[number]['changes']

/**
 * Changes an animal and writes down what became of what; a patch that changes nothing leaves no trace.
 *
 * @throws {ApiError} pet_not_found, precondition_failed, order_open, invalid_status_transition,
 * validation_failed
 */
export async function updatePet(
  db: Db,
  patch: PetPatch,
  intent: Intent,
  hasOpenOrder: HasOpenOrder,
): Promise<pets.StoredPet> {
  const { id, keyId, now, conditions } = intent
  const before = await pets.find(db, id)
  if (!before) throw new ApiError('pet_not_found')
  if (!mayChange(conditions, before)) throw new ApiError('precondition_failed')
  const changes = changesOf(before.pet, patch)
  if (Object.keys(changes).length === 0) return before
  if (patch.status && changes.status) {
    if (await hasOpenOrder(db, id)) throw new ApiError('order_open')
    checkMove(before.pet.status, patch.status)
  }

  const after = await pets.update(db, before, patch, now)
  // Somebody was faster, where a store lets two transactions read at once: judged again, on what is there.
  if (!after) return updatePet(db, patch, intent, hasOpenOrder)
  await record(db, after.pet.id, changes, keyId, now)
  return after
}

interface Move {
  from: PetStatus
  to: PetStatus
  keyId: number
  now: number
}

/**
 * Moves an animal for an order: decided in one statement, so that of many at once one wins.
 *
 * @throws {ApiError} pet_not_found; pet_not_available when it is not where it should move from
 */
export async function movePet(db: Db, id: number | bigint, { from, to, keyId, now }: Move): Promise<void> {
  const moved = await pets.move(db, { id, from, to, now })
  if (moved === undefined)
    throw new ApiError((await pets.find(db, BigInt(id))) ? 'pet_not_available' : 'pet_not_found')
  await record(db, moved, { status: { from, to } }, keyId, now)
}

type Recorded = { petId: number; now: number; keyId: number; changes: string }

const insertChange = prepared<Recorded, never>((db, fill) =>
  db.insertInto('pet_change').values({
    pet_id: fill('petId'),
    at: fill('now'),
    key_id: fill('keyId'),
    changes: fill('changes'),
  }),
)

async function record(db: Db, petId: number, changes: Changes, keyId: number, now: number): Promise<void> {
  await insertChange(db, { petId, now, keyId, changes: JSON.stringify(changes) })
}

function changesOf(pet: Pet, patch: PetPatch): Changes {
  const named = MEMBERS.filter((member) => patch[member] !== undefined)
  const changes = named.map(
    (member) => [member, { from: pet[member], to: shownOf(member, patch[member]) }] as const,
  )
  return Object.fromEntries(changes.filter(([, { from, to }]) => from !== to))
}

/** @throws {ApiError} pet_not_found, precondition_failed, order_open */
export async function deletePet(db: Db, intent: Intent, hasOpenOrder: HasOpenOrder): Promise<void> {
  const before = await pets.find(db, intent.id)
  if (!before) throw new ApiError('pet_not_found')
  if (!mayChange(intent.conditions, before)) throw new ApiError('precondition_failed')
  if (await hasOpenOrder(db, intent.id)) throw new ApiError('order_open')
  if (!(await pets.remove(db, before))) await deletePet(db, intent, hasOpenOrder)
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
