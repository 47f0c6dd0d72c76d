import { hash } from 'node:crypto'
import type { Db } from '../db/tables.ts'
import { externalIdKey } from '../pets/rules.ts'
import type { NewPet } from '../pets/schema.ts'
import * as pets from '../pets/store.ts'
import { RefusalError } from './report.ts'
import { foldName, guardAnimals, hasOtherName, hasSameName, otherAnimal } from './same-animal.ts'
import { type ExistingAnimal, findExisting, isByRow, joinId, type Origin, ROWS } from './sources.ts'
import type { ValidAnimal } from './validate.ts'

// Finds the stored animal of a line. Different animals of a file may have the same id: animals of several
// organizations, or of a litter. The store then remembers the id with the organization or the name.

export interface Recognition extends Origin {
  /** Whether several animals may have one id, as in the tables that people make. */
  sharesIds: boolean
  /** Whether a line so far has shown that the file is of another shelter. */
  isForeign?: boolean
}

const keyOf = (organizationId: unknown, sourceId: string): string => `${organizationId} ${sourceId}`

/** The id of an animal in a litter whose animals have the same number. */
function namedId(id: string, { organizationId, name }: NewPet): string {
  const key = hash('sha256', `${organizationId ?? ''}\n${foldName(name)}`, 'base64url')
  return joinId(id, key.slice(0, 24))
}

/** The ids by which the store may remember the animal of a line. The first id that the store has counts. */
function idsOf({ id, rowKey, pet }: ValidAnimal, { sharesIds }: Recognition): string[] {
  if (id === undefined) return rowKey === undefined ? [] : [rowKey]
  const { organizationId } = pet
  return [
    ...(sharesIds ? [namedId(id, pet)] : []),
    id,
    ...(organizationId === undefined ? [] : [joinId(id, organizationId)]),
  ]
}

class AnimalsById {
  /** All animals by organization and id. */
  readonly #known = new Map<string, ExistingAnimal>()
  /** The animals from files of the same owner by id alone. */
  readonly #ofSameFile = new Map<string, ExistingAnimal>()
  readonly #plan: Recognition

  constructor(plan: Recognition) {
    this.#plan = plan
  }

  add(existing: ExistingAnimal): void {
    const { sourceId, pet, isOfSameFile } = existing
    const key = keyOf(pet.organizationId, sourceId)
    if (isOfSameFile) this.#ofSameFile.set(sourceId, existing)
    else if (pet.organizationId === undefined || this.#known.get(key)?.isOfSameFile) return
    this.#known.set(key, existing)
  }

  find(animal: ValidAnimal, ownIds: string[]): ExistingAnimal | undefined {
    const { id, sharedWith, pet } = animal
    // Only the name distinguishes animals that share an id.
    const isRight = (found: ExistingAnimal): boolean =>
      sharedWith === undefined || found.sourceId === namedId(String(id), pet) || hasSameName(found.pet, pet)
    for (const ownId of ownIds) {
      const found = this.#known.get(keyOf(pet.organizationId ?? this.#plan.fileOf, ownId))
      if (found && isRight(found)) return found
    }
    const others = ownIds.flatMap((ownId) => this.#ofSameFile.get(ownId) ?? [])
    return others.find((found) => isRight(found) && this.#isMoved(found, animal))
  }

  /** Whether the line of one organization belongs to a stored animal of another one. */
  #isMoved(
    { pet: stored }: ExistingAnimal,
    { id, isPerOrganization, gone, pet: read }: ValidAnimal,
  ): boolean {
    const { fileOf } = this.#plan
    // The key of a line belongs to one animal.
    if (id === undefined) return true
    if (isPerOrganization) return false
    if (fileOf !== undefined) return (read.organizationId ?? fileOf) === fileOf
    if (stored.organizationId === undefined || read.organizationId === undefined) return true
    return hasSameName(stored, read) && (gone !== undefined || stored.categoryId === read.categoryId)
  }

  /** The id by which the store will remember a new animal. @param queued ids of animals not added yet */
  chooseId(
    { id, rowKey, sharedWith, pet }: ValidAnimal,
    queued: ReadonlyMap<string, unknown>,
  ): string | undefined {
    if (id === undefined) return rowKey
    const own = sharedWith !== undefined && this.#plan.sharesIds ? namedId(id, pet) : id
    const free = [own, joinId(own, pet.organizationId ?? '')].find(
      (one) => !this.#ofSameFile.has(one) && !queued.has(one),
    )
    if (free === undefined) throw movedAway()
    return free
  }

  /** @throws {RefusalError} if a new animal cannot be remembered, because another one has its id */
  requireOwnId({ id, line, sharedWith, pet }: ValidAnimal): void {
    const { sharesIds, fileOf } = this.#plan
    if (id === undefined || sharedWith === undefined || sharesIds) return
    if (line !== sharedWith) throw sharedId(sharedWith)
    const other = this.#known.get(keyOf(pet.organizationId ?? fileOf, id))
    if (other) throw otherAnimal(other.pet)
  }
}

/** Finds the animals of a batch that were imported before. */
export async function readKnownAnimals(
  db: Db,
  animals: ValidAnimal[],
  numbers: ReadonlyMap<string, number>,
  plan: Recognition,
) {
  const { fileOf } = plan
  const byId = new AnimalsById(plan)
  const ids = new Map(animals.map((animal) => [animal, idsOf(animal, plan)]))
  const idsFor = (animal: ValidAnimal): string[] => ids.get(animal) ?? []
  const candidates = animals.flatMap((animal) =>
    idsFor(animal).map((sourceId) => ({ sourceId, pet: animal.pet })),
  )
  for (const existing of await findExisting(db, plan, candidates)) byId.add(existing)
  const numbered = await pets.findMany(db, [...numbers.values()])
  const byNumber = new Map(numbered.map((pet) => [externalIdKey(pet), pet]))
  // The same line was imported before without its id.
  const lines = animals.map(({ rowKey, pet }) => ({ sourceId: rowKey, pet }))
  const rows = isByRow(plan) ? [] : await findExisting(db, { source: ROWS, fileOf }, lines)
  const byRow = new Map(rows.map((row) => [row.isOfSameFile && row.sourceId, row.pet]))

  function find(animal: ValidAnimal): ExistingAnimal | undefined {
    const { pet, rowKey = '' } = animal
    const [sourceId, ...others] = idsFor(animal)
    if (sourceId === undefined) return undefined
    const existing = byId.find(animal, [sourceId, ...others])
    if (existing) return existing
    const sameRow = byRow.get(rowKey)
    if (sameRow) return { sourceId, pet: sameRow, isOfSameFile: true, isNew: true }
    const other = byNumber.get(externalIdKey(pet))
    // The same number and name: the animal was added by hand, or from a file without ids.
    return other && !hasOtherName(other, pet)
      ? { sourceId, pet: other, isOfSameFile: true, isNew: true }
      : undefined
  }

  const guard = guardAnimals(
    animals.flatMap((animal) => (animal.gone ? [] : [[find(animal)?.pet, animal.pet]])),
    plan.isForeign,
  )
  function requireSame(existing: ExistingAnimal, read: NewPet): void {
    requireHere(existing, read, plan)
    guard.require(existing.pet, read)
  }
  return { byId, find, idsFor, requireSame, isForeign: guard.isForeign }
}

export type KnownAnimals = Awaited<ReturnType<typeof readKnownAnimals>>

/** @throws {RefusalError} if the animal now belongs to another organization */
function requireHere({ pet }: ExistingAnimal, read: NewPet, { fileOf }: Origin): void {
  if (fileOf !== undefined && pet.organizationId !== (read.organizationId ?? fileOf)) throw movedAway()
}

/** Contains neither id nor status, because the animal now belongs to another organization. */
function movedAway(): RefusalError {
  const message = 'It was imported before, but no longer belongs to this organization.'
  return new RefusalError({ code: 'moved_away', message })
}

function sharedId(newest: number): RefusalError {
  const message = `Line ${newest} has the same id but another name, so this line was not imported.`
  return new RefusalError({ code: 'repeated_id', value: String(newest), message })
}
