import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { MAX_BONDED_PETS } from '../pets/fields.ts'
import { HIDDEN, isListed } from '../pets/rules.ts'
import * as pets from '../pets/store.ts'
import { type Refusal, RefusalError, shorten, toRefusal } from './report.ts'
import { findExisting, idInFile, joinId, type Origin } from './sources.ts'
import type { NamedBond } from './validate.ts'
import type { ImportedAnimal } from './write.ts'

// Joins the bonds of a file when all of its animals are in the store. A bond that one animal names binds all
// of its animals. If one of them is missing, none of the others is published.

/** Two organizations may use the same id in one file, and all animals of a bond belong to one of them. */
const keyIn = (organizationId: number | undefined, key: string): string =>
  organizationId === undefined ? key : joinId(key, organizationId)

/** Collects the animals of a file. Keeps only the id in the store of an animal that names no others. */
export function createBondList() {
  const naming = new Map<string, ImportedAnimal>()
  const others = new Map<string, number>()
  const refused = new Map<string, NamedBond>()
  const gone = new Set<string>()
  return {
    /** @param bonds the bonds of all lines, also of those whose animals were not imported */
    add(imported: ImportedAnimal[], bonds: NamedBond[]): void {
      for (const animal of imported) {
        const key = keyIn(animal.organizationId, animal.key)
        if (animal.with.length > 0) naming.set(key, animal)
        else others.set(key, animal.petId)
      }
      const lines = new Set(imported.map(({ line }) => line))
      for (const bond of bonds.filter(({ line }) => !lines.has(line))) {
        const key = keyIn(bond.organizationId, bond.key)
        if (bond.with.length > 0) refused.set(key, bond)
        if (bond.isGone) gone.add(key)
      }
    },
    petIdOf: (key: string): number | undefined => naming.get(key)?.petId ?? others.get(key),
    /** Whether the file says that the animal has died or left. */
    isGone: (key: string): boolean => gone.has(key),
    /** The keys of each group of animals that name each other, directly or through others. */
    groups: (): string[][] => findGroups(new Map<string, NamingAnimal>([...refused, ...naming])),
    /** The animals of a group that name others. */
    naming: (keys: string[]): ImportedAnimal[] => keys.flatMap((key) => naming.get(key) ?? []),
    /** The animals of a group that name others, but were not imported. */
    refused: (keys: string[]): NamedBond[] => keys.flatMap((key) => refused.get(key) ?? []),
  }
}

type NamingAnimal = Pick<NamedBond, 'with' | 'organizationId'>

function findGroups(naming: ReadonlyMap<string, NamingAnimal>): string[][] {
  const neighbors = new Map<string, string[]>()
  const link = (one: string, other: string): void => {
    const existing = neighbors.get(one)
    if (existing) existing.push(other)
    else neighbors.set(one, [other])
  }
  for (const [key, { with: others, organizationId }] of naming)
    for (const id of others) {
      const other = keyIn(organizationId, id)
      link(key, other)
      link(other, key)
    }
  const seen = new Set<string>()
  const isNew = (key: string): boolean => seen.size < seen.add(key).size
  return [...naming.keys()].flatMap((first) => {
    if (!isNew(first)) return []
    const group = [first]
    for (const key of group) for (const next of neighbors.get(key) ?? []) if (isNew(next)) group.push(next)
    return [group]
  })
}

export type BondList = ReturnType<typeof createBondList>

export interface BondContext {
  db: Db
  write: Writer['write']
  origin: Origin
  /** Whether bonds name the ids that the store remembers, so the others may be from an earlier file. */
  hasSourceIds: boolean
  dryRun: boolean
  by: { keyId: number | null; organizationId: number | undefined }
  clock: () => number
  onRefused(refusal: Refusal): void
}

/** @returns the number of animals that are not published, because their bond is not complete */
export async function joinBonds(animals: BondList, context: BondContext): Promise<number> {
  let lost = 0
  for (const keys of animals.groups()) {
    const naming = animals.naming(keys)
    const petIds = await findPetIds(animals, keys, context)
    if (petIds.size === 0) continue
    const missing = keys.filter((key) => !petIds.has(key))
    try {
      if (!context.dryRun && naming.length > 0) await saveBond([...petIds.values()], context)
      if (missing.length > 0) throw lackingBond(missing)
      if (keys.length > MAX_BONDED_PETS + 1) throw new RefusalError('Too many animals are bonded.')
      if (!context.dryRun) await publish(naming, context)
    } catch (error) {
      const { reason, why } = toRefusal(error)
      lost += petIds.size
      await hide([...petIds.values()], context)
      for (const { line, id } of naming)
        context.onRefused({ line, ...(id !== undefined && { id }), reason: `bondedWith: ${reason}`, why })
      if (naming.length === 0) for (const bond of animals.refused(keys)) context.onRefused(lostPartners(bond))
    }
  }
  return lost
}

function lackingBond(missing: string[]): RefusalError {
  const names = missing.map(idInFile).join(', ')
  const message = `It is bonded with ${names}, which was not imported, so it is not published.`
  return new RefusalError({ code: 'bond_lacking', value: shorten(names), message })
}

/** The refusal of a line whose animal was not imported, although others are bonded with it. */
function lostPartners({ line, id, with: others }: NamedBond): Refusal {
  const names = others.join(', ')
  const message = `It was not imported, so ${names}, with which it is bonded, is not published.`
  const { reason, why } = toRefusal(new RefusalError({ code: 'bond_lost', value: shorten(names), message }))
  return { line, ...(id !== undefined && { id }), reason: `bondedWith: ${reason}`, why }
}

/** The ids in the store of the animals of a group, without those that are missing. */
async function findPetIds(
  animals: BondList,
  keys: string[],
  { db, origin, hasSourceIds }: BondContext,
): Promise<Map<string, number>> {
  const found = new Map(keys.map((key) => [key, animals.petIdOf(key)]))
  const unknown = keys.filter((key) => found.get(key) === undefined && !animals.isGone(key))
  if (hasSourceIds && unknown.length > 0) {
    const [{ organizationId } = {}] = [...animals.naming(keys), ...animals.refused(keys)]
    const pet = { organizationId: organizationId ?? origin.fileOf }
    const asked = unknown.flatMap((key) => [key, idInFile(key)].map((sourceId) => ({ sourceId, pet })))
    for (const { sourceId, pet } of await findExisting(db, origin, asked))
      if (pet.organizationId === organizationId) found.set(keyIn(organizationId, idInFile(sourceId)), pet.id)
  }
  return new Map([...found].filter((pair): pair is [string, number] => pair[1] !== undefined))
}

/**
 * All animals of a bond list the same animals, so one change is enough. An animal whose outcome is recorded
 * has left its bond.
 */
async function saveBond(petIds: number[], { db, write, by, clock }: BondContext): Promise<void> {
  const staying = (await pets.findMany(db, petIds)).filter(({ staff }) => !staff?.outcomeKind)
  const [first, ...bondedWith] = staying.map(({ id }) => id)
  if (first === undefined || bondedWith.length === 0 || bondedWith.length > MAX_BONDED_PETS) return
  await write(changes.updatePet, { bondedWith }, { id: first, by, now: clock() })
}

async function publish(naming: ImportedAnimal[], { write, by, clock }: BondContext): Promise<void> {
  for (const { petId, status } of naming)
    if (status) await write(changes.updatePet, { status }, { id: petId, by, now: clock() })
}

/** Takes animals off the public pages. An animal with an open order stays until the order ends. */
async function hide(petIds: number[], { db, write, by, clock, dryRun }: BondContext): Promise<void> {
  const offered = dryRun ? [] : (await pets.findMany(db, petIds)).filter(isListed)
  for (const { id } of offered)
    await write(changes.updatePet, HIDDEN, { id, by, now: clock() }).catch(toRefusal)
}
