import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { View } from '../http/caller.ts'
import { type Conditions, mayChange } from '../http/conditional.ts'
import { categoryNames, withAge } from './age.ts'
import { isGuarded, MEMBERS, type Member, type PetStatus, publicOf, shownOf } from './fields.ts'
import { checkProfile, merge } from './profile.ts'
import type { NewPet, Pet, PetHistory, PetPatch } from './schema.ts'
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
  const sound = merge(before.pet, patch)
  checkProfile(sound, patch, now)
  const { pet, ageDueAt } = await withAge(categoryNames(db), sound, now)
  const changes = changesOf(before.pet, pet)
  if (Object.keys(changes).length === 0) return before
  if (patch.status && changes.status) {
    if (await hasOpenOrder(db, id)) throw new ApiError('order_open')
    checkMove(before.pet.status, patch.status)
  }

  const after = await pets.update(db, before, { pet, ageDueAt }, now)
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

/** Both have the members of objects in the same order, whoever sent them. */
export function changesOf(before: Pet, after: NewPet): Changes {
  const changes = MEMBERS.map((member) => {
    return [member, { from: before[member], to: shownOf(member, after[member]) }] as const
  })
  return Object.fromEntries(changes.filter(([, { from, to }]) => !isSame(from, to)))
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
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

/** Newest first, as far as the caller may see it; undefined when there is no such animal. */
export async function history(db: Db, id: bigint, view: View): Promise<PetHistory | undefined> {
  const stored = await pets.find(db, id)
  if (!stored) return undefined
  const shown: PetHistory = []
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const rows = await db
      .selectFrom('pet_change')
      .select(['id', 'at', 'key_id as keyId', 'changes'])
      .where('pet_id', '=', stored.pet.id)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(MOST_CHANGES)
      .execute()
    for (const { id, at, keyId, changes } of rows) {
      before = id
      const seen = seenBy(view, JSON.parse(changes))
      if (Object.keys(seen).length > 0) shown.push({ at: new Date(at).toISOString(), keyId, changes: seen })
    }
    // Who sees less of the changes is not to count those that are missing.
    if (rows.length < MOST_CHANGES || shown.length >= MOST_CHANGES) return shown.slice(0, MOST_CHANGES)
  }
}

function seenBy(view: View, changes: Changes): Changes {
  if (view === 'all') return changes
  const seen = Object.entries(changes).map(([name, values]) => {
    const member = name as Member
    if (!isGuarded(member)) return [name, values] as const
    const from = publicOf(member, values.from)
    const to = publicOf(member, values.to)
    return [name, isSame(from, to) ? undefined : { from, to }] as const
  })
  return Object.fromEntries(seen.filter(([, values]) => values)) as Changes
}
