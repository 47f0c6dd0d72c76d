import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import type { PetStatus } from '../pets/fields.ts'
import * as pets from '../pets/store.ts'
import type { Refusal } from './animal.ts'
import { refusalFor } from './import-batch.ts'
import { type Origin, type Sourced, sourcesOf } from './store.ts'

interface Retiring {
  origin: Origin
  /** What becomes of them. */
  status: PetStatus
  by: { keyId: number; organizationId: number | undefined }
  clock: () => number
  onRefused(refusal: Refusal): void
}

/** An export that lacks more than these, and more than half of what came before, is likely to be broken. */
const FEW = 10

/**
 * Gives animals that came from a source, and are not in its export any more, a status.
 *
 * @param seen the ids that the export has
 * @returns how many
 * @throws when too many are missing: then nothing was done about any
 */
export async function retireRemoved(
  db: Db,
  write: Writer['write'],
  seen: ReadonlySet<string>,
  { origin, status, by, clock, onRefused }: Retiring,
): Promise<number> {
  const all = await sourcesOf(db, origin)
  const gone = all.filter(({ sourceId }) => !seen.has(sourceId))
  const missing = await withOtherStatus(db, gone, status)
  const there = all.length - gone.length + missing.length
  if (missing.length > FEW && missing.length * 2 > there) {
    throw new Error(
      `${missing.length} of ${there} animals of "${origin.source}" are missing in the export: nothing was done about ` +
        'them, since it looks broken. Where it is right, change them through the service',
    )
  }
  let count = 0
  for (const { sourceId, petId } of missing) {
    try {
      await write(changes.updatePet, { status }, { id: petId, by, now: clock() })
      count += 1
    } catch (error) {
      onRefused({
        line: 0,
        id: sourceId,
        reason: `It is not in the export any more. ${refusalFor(error).reason}`,
      })
    }
  }
  return count
}

/** So many are read at once. */
const PAGE = 500

/** Those that have a status, and not this one. */
async function withOtherStatus(db: Db, animals: Sourced[], status: PetStatus): Promise<Sourced[]> {
  const found: Sourced[] = []
  for (let from = 0; from < animals.length; from += PAGE) {
    const some = animals.slice(from, from + PAGE)
    const known = new Map(
      (
        await pets.findMany(
          db,
          some.map(({ petId }) => petId),
        )
      ).map((pet) => [pet.id, pet]),
    )
    for (const one of some) if (![undefined, status].includes(known.get(one.petId)?.status)) found.push(one)
  }
  return found
}
