import type { Db } from '../db/tables.ts'
import * as pets from '../pets/store.ts'
import { type Draft, Refused } from './animal.ts'
import { firstOfFile, isKnown, type Origin } from './store.ts'

/** So many animals tell whose ids they have. */
const LOOKED_AT = 200

/**
 * `export` writes the ids of its own store. Brought back there the animals would be added once more: as those of a
 * source that nothing was imported from yet, or as new ones.
 *
 * @param organizationId of a key: it is told of no other's animals
 * @throws when most animals with such an id have the name that the store has under it
 */
export async function refuseOwnIds(
  db: Db,
  drafts: Draft[],
  origin: Origin,
  organizationId: number | undefined,
): Promise<void> {
  const names = new Map<number, unknown>()
  for (const { sourceId, ownId = sourceId, animal } of drafts.slice(0, LOOKED_AT)) {
    if (ownId !== undefined && /^[1-9]\d{0,14}$/.test(ownId)) names.set(Number(ownId), animal.name)
  }
  if (names.size === 0 || (await isKnown(db, origin))) return
  const known = await pets.findMany(db, [...names.keys()])
  const own = known.filter((pet) => organizationId === undefined || pet.organizationId === organizationId)
  const same = own.filter(({ id, name }) => names.get(id) === name)
  if (same.length * 2 <= names.size) return
  throw new Refused({
    code: 'own_ids',
    message:
      'the file has the ids that its animals have in this store, as `adoptable export` writes them, and each would be ' +
      'added once more: nothing was changed. If they are ids of another place, say --update id --source NAME',
  })
}

async function firstAnimalOf(
  db: Db,
  fingerprint: string,
  fileOf: number | undefined,
): Promise<number | undefined> {
  const own = await firstOfFile(db, fingerprintFor(fileOf, fingerprint))
  if (own !== undefined || fileOf === undefined) return own
  // As it was written before files had owners, or when an operator brought it in.
  const first = await firstOfFile(db, fingerprint)
  const [pet] = first === undefined ? [] : await pets.findMany(db, [first])
  return pet?.organizationId === fileOf ? first : undefined
}

/** The same file of another shelter brings other animals. */
export function fingerprintFor(fileOf: number | undefined, fingerprint: string): string {
  return fileOf === undefined ? fingerprint : `${fingerprint} of ${fileOf}`
}

/** @throws when the same file came in before, without ids that tell its animals apart */
export async function refuseKnownFile(
  db: Db,
  fingerprint: string,
  fileOf: number | undefined,
  update: boolean,
): Promise<void> {
  const first = await firstAnimalOf(db, fingerprint, fileOf)
  if (first === undefined) return
  const before = `this file was imported before, from animal ${first} on, and nothing was changed`
  const message = update
    ? `${before}: it came without --update, so the ids of its animals are not known. --again adds all of them once more`
    : `${before}. --update COLUMN changes animals that were imported with it; --again adds all of them once more`
  throw new Refused({ code: 'known_file', value: String(first), message })
}
