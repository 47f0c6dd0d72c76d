import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { PetStatus } from './fields.ts'
import { recordChange } from './history.ts'
import {
  drawVersion,
  find,
  recordPetEvents,
  requireNoCopy,
  setTimes,
  statusChange,
  timesOf,
} from './store.ts'

// The allowed changes of an animal's status, and the status changes that orders make.

/** The statuses that may follow each one. A returned animal becomes available before it becomes pending. */
export const MOVES: Record<PetStatus, readonly PetStatus[]> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  sold: ['available'],
}

/**
 * Checks a change of status. An animal without a status can get any status.
 * @throws {ApiError} invalid_status_transition, which names the allowed statuses
 */
export function checkMove(from: PetStatus | undefined, to: PetStatus): void {
  if (from === undefined || from === to || MOVES[from].includes(to)) return
  const message = `This animal is ${from}; from there it can become ${MOVES[from].join(' or ')}, not ${to}.`
  throw new ApiError('invalid_status_transition', { message })
}

export interface MovedPet {
  id: number
  version: number
  organizationId: number | undefined
  bondedWith: number[]
}

interface Move {
  from: PetStatus
  to: PetStatus
  /** Null if no key makes the change. The history then has no entry. */
  keyId: number | null
  now: number
}

/**
 * Changes the status of animals. Each animal needs one statement, so exactly one of several concurrent
 * callers succeeds. Every caller begins with the lowest id, so one caller gets all the animals.
 * @returns the animals by id; `recordMoves` writes their history
 * @throws {ApiError} pet_not_found; followed_animal; pet_not_available if one has a status other than `from`
 */
export async function movePets(
  db: Db,
  ids: number[],
  { from, to, now }: Move,
): Promise<Map<number, MovedPet>> {
  const moved = new Map<number, MovedPet>()
  for (const id of [...new Set(ids)].sort((one, other) => one - other)) {
    const row = await db
      .updateTable('pet')
      .set({ status: to, ...setTimes(timesOf(to, now)), updated_at: now, version: drawVersion() })
      .where('id', '=', id)
      .where('status', '=', from)
      .returning(['id', 'version', 'organization_id as organizationId', 'profile', 'source'])
      .executeTakeFirst()
    if (!row) throw new ApiError((await find(db, id)) ? 'pet_not_available' : 'pet_not_found')
    requireNoCopy(row)
    moved.set(row.id, toMoved(row))
  }
  return moved
}

/** Writes the history and events of moves, after all checks: a refusal would use up ids in PostgreSQL. */
export async function recordMoves(
  db: Db,
  moved: Map<number, MovedPet>,
  { from, to, keyId, now }: Move,
): Promise<void> {
  for (const pet of moved.values()) await recordChange(db, pet, { status: { from, to } }, keyId, now)
  const status = statusChange(from, to)
  const events = [...moved.values()].map((pet) => ({ ...pet, type: 'pet.status_changed' as const, status }))
  await recordPetEvents(db, events, now)
}

type MovedRow = { id: number; version: number; organizationId: number | null; profile: string | null }

function toMoved({ id, version, organizationId, profile }: MovedRow): MovedPet {
  // Does not parse the profile of an animal without a bond. Most animals have none.
  const { bondedWith = [] } = profile?.includes('"bondedWith":') ? JSON.parse(profile) : {}
  return { id, version, organizationId: organizationId ?? undefined, bondedWith }
}
