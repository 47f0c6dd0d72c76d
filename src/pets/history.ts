import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { seesWhole, type View } from '../http/caller.ts'
import { isGuarded, MEMBERS, type Member, PHOTOS, publicOf } from './fields.ts'
import type { NewPet, Pet, PetHistory } from './schema.ts'
import * as pets from './store.ts'

type Changes = PetHistory[number]['changes']

type Recorded = { petId: number; now: number; keyId: number; changes: string }

const insertChange = prepared<Recorded, never>((db, fill) =>
  db.insertInto('pet_change').values({
    pet_id: fill('petId'),
    at: fill('now'),
    key_id: fill('keyId'),
    changes: fill('changes'),
  }),
)

export async function record(
  db: Db,
  petId: number,
  changes: Changes,
  keyId: number | null,
  now: number,
): Promise<void> {
  if (keyId === null) return
  await insertChange(db, { petId, now, keyId, changes: JSON.stringify(changes) })
}

/** Both have the members of objects in the same order, whoever sent them. */
export function changesOf(before: Pet, after: NewPet): Changes {
  const changes = MEMBERS.map((member) => {
    return [member, { from: before[member], to: after[member] }] as const
  })
  return Object.fromEntries(changes.filter(([, { from, to }]) => !isSame(from, to)))
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}

const MAX_CHANGES = 100
/** So many rows are looked through at most, of an animal of which others see next to nothing. */
const MAX_ROWS = 10_000

/** Newest first, as far as the caller may see it; undefined when there is no such animal. */
export async function history(db: Db, id: number, view: View): Promise<PetHistory | undefined> {
  const stored = await pets.find(db, id)
  if (!stored) return undefined
  const whole = seesWhole(view, stored.pet.organizationId)
  const shown: PetHistory = []
  let before = Number.MAX_SAFE_INTEGER
  for (let read = MAX_CHANGES; ; read += MAX_CHANGES) {
    const rows = await db
      .selectFrom('pet_change')
      .select(['id', 'at', 'key_id as keyId', 'changes'])
      .where('pet_id', '=', stored.pet.id)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(MAX_CHANGES)
      .execute()
    for (const { id, at, keyId, changes } of rows) {
      before = id
      const seen: Changes = whole ? JSON.parse(changes) : seenByAll(JSON.parse(changes))
      if (Object.keys(seen).length > 0) shown.push({ at: new Date(at).toISOString(), keyId, changes: seen })
    }
    // Who sees less of the changes is not to count those that are missing.
    const isEnough = shown.length >= MAX_CHANGES || read >= MAX_ROWS
    if (rows.length < MAX_CHANGES || isEnough) return shown.slice(0, MAX_CHANGES)
  }
}

function seenByAll(changes: Changes): Changes {
  const seen = Object.entries(changes).map(([name, values]) => {
    // Photos are no member, and everybody sees them.
    if (name === PHOTOS) return [name, values] as const
    const member = name as Member
    if (!isGuarded(member)) return [name, values] as const
    const from = publicOf(member, values.from)
    const to = publicOf(member, values.to)
    return [name, isSame(from, to) ? undefined : { from, to }] as const
  })
  return Object.fromEntries(seen.filter(([, values]) => values)) as Changes
}
