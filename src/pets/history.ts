import { prepareQuery } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { seesInternalData, type View } from '../http/caller.ts'
import { yieldToEventLoop } from '../http/turns.ts'
import { isOpenInHistory, MEMBERS } from './fields.ts'
import type { NewPet, Pet, PetHistory } from './schema.ts'
import * as pets from './store.ts'
import { isSame } from './store.ts'

type Changes = PetHistory[number]['changes']

type RecordParameters = {
  petId: number
  organizationId: number | null
  now: number
  keyId: number
  changes: string
}

const insertChange = prepareQuery<RecordParameters, never>((db, fill) =>
  db.insertInto('pet_change').values({
    pet_id: fill('petId'),
    organization_id: fill('organizationId'),
    at: fill('now'),
    key_id: fill('keyId'),
    changes: fill('changes'),
  }),
)

/** @param pet the animal; only its `organizationId` may see the private part of the change */
export async function recordChange(
  db: Db,
  { id, organizationId = null }: { id: number; organizationId?: number | null | undefined },
  changes: Changes,
  keyId: number | null,
  now: number,
): Promise<void> {
  if (keyId === null || Object.keys(changes).length === 0) return
  await insertChange(db, { petId: id, organizationId, now, keyId, changes: JSON.stringify(changes) })
}

/** Records a move as two changes, so neither organization sees the other's private data. */
export async function recordMove(
  db: Db,
  { id, organizationId }: Pet,
  changes: Changes,
  keyId: number | null,
  now: number,
): Promise<void> {
  const { organizationId: move } = changes
  const newOrganizationId = move?.to as number | undefined
  const [departure, arrival]: [Changes, Changes] = [{}, {}]
  for (const [name, { from, to }] of Object.entries(changes)) {
    if (isOpenInHistory(name)) departure[name] = { from, to }
    else {
      if (from !== undefined) departure[name] = { from }
      if (to !== undefined) arrival[name] = { to }
    }
  }
  await recordChange(db, { id, organizationId }, departure, keyId, now)
  await recordChange(db, { id, organizationId: newOrganizationId }, arrival, keyId, now)
}

/** Compares all members. Nested objects must have their members in the same order on both sides. */
export function changesOf(before: Pet, after: NewPet): Changes {
  const changes = MEMBERS.map((member) => {
    return [member, { from: before[member], to: after[member] }] as const
  })
  return Object.fromEntries(changes.filter(([, { from, to }]) => !isSame(from, to)))
}

const MAX_CHANGES = 100
/** A longer answer takes too long to write, which also makes other requests wait. */
const MAX_CHARACTERS = 2_000_000
/** The number of changes read at once. SQLite reads ten large ones, of 128 KB, in 6 ms, while others wait. */
const BATCH_SIZE = 10
/** The maximum number of rows read for a caller who sees few of the changes. */
const MAX_ROWS = 10_000

/**
 * Finds the changes that a caller may see, newest first. Only these count towards the limits, so the length
 * of the list does not reveal whether there are private changes between them.
 * @returns undefined if the animal does not exist
 */
export async function findHistory(db: Db, id: number, view: View): Promise<PetHistory | undefined> {
  const stored = await pets.find(db, id)
  if (!stored) return undefined
  const found: PetHistory = []
  let characters = 0
  let before = Number.MAX_SAFE_INTEGER
  for (let read = BATCH_SIZE; ; read += BATCH_SIZE) {
    const rows = await db
      .selectFrom('pet_change')
      .select(['id', 'organization_id as organizationId', 'at', 'key_id as keyId', 'changes'])
      .where('pet_id', '=', stored.pet.id)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(BATCH_SIZE)
      .execute()
    for (const { id, organizationId, at, keyId, changes } of rows) {
      await yieldToEventLoop()
      before = id
      const all: Changes = JSON.parse(changes)
      const visible = seesInternalData(view, organizationId) ? all : publicChanges(all)
      if (Object.keys(visible).length === 0) continue
      characters += JSON.stringify(visible).length
      found.push({ at: new Date(at).toISOString(), keyId, changes: visible })
      if (found.length >= MAX_CHANGES || characters >= MAX_CHARACTERS) return found
    }
    if (rows.length < BATCH_SIZE || read >= MAX_ROWS) return found
  }
}

function publicChanges(changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([name]) => isOpenInHistory(name)))
}
