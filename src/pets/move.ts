import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { PetStatus } from './fields.ts'
import { record } from './history.ts'
import { drawVersion, find, setTimes, type Times, timesOf } from './store.ts'

// Moves of the animals of an order, from one status to another.

/** An animal that was moved, its organization, and the others of its bond. */
export interface Moved {
  id: number
  organizationId: number | undefined
  bondedWith: number[]
}

interface Move {
  from: PetStatus
  to: PetStatus
  /** Null when no key moves them: the history then does not tell of it. */
  keyId: number | null
  now: number
}

/**
 * Moves each animal in one statement, so that of several callers at the same time one wins. All callers move
 * the lowest id first, so that of two who want the same animals one gets all.
 *
 * @returns the moved animals by their ids; `recordMoves` writes their history
 * @throws {ApiError} pet_not_found; pet_not_available when one has another status than `from`
 */
export async function movePets(db: Db, ids: number[], { from, to, now }: Move): Promise<Map<number, Moved>> {
  const moved = new Map<number, Moved>()
  for (const id of [...new Set(ids)].sort((one, other) => one - other)) {
    const [row] = await moveFrom(db, { id, from, to, now, ...timesOf(to, now), version: drawVersion() })
    if (!row) throw new ApiError((await find(db, id)) ? 'pet_not_available' : 'pet_not_found')
    moved.set(row.id, toMoved(row))
  }
  return moved
}

/** Comes after all checks of the caller: a refused move then uses up no id of the history. */
export async function recordMoves(
  db: Db,
  moved: Map<number, Moved>,
  { from, to, keyId, now }: Move,
): Promise<void> {
  for (const id of moved.keys()) await record(db, id, { status: { from, to } }, keyId, now)
}

type MovedRow = { id: number; organizationId: number | null; profile: string | null }
type MoveParameters = Omit<Move, 'keyId'> & Times & { id: number; version: number }

const moveFrom = prepared<MoveParameters, MovedRow>((db, fill) =>
  db
    .updateTable('pet')
    .set({
      status: fill('to'),
      ...setTimes(fill),
      updated_at: fill('now'),
      version: fill('version'),
    })
    .where('id', '=', fill('id'))
    .where('status', '=', fill('from'))
    .returning(['id', 'organization_id as organizationId', 'profile']),
)

function toMoved({ id, organizationId, profile }: MovedRow): Moved {
  // Most animals have no bond, and their profile need not be parsed.
  const { bondedWith = [] } = profile?.includes('"bondedWith":') ? JSON.parse(profile) : {}
  return { id, organizationId: organizationId ?? undefined, bondedWith }
}
