import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { MAX_BONDED_PETS } from '../pets/fields.ts'
import { HIDDEN, isListed } from '../pets/rules.ts'
import * as pets from '../pets/store.ts'
import { isCode, NAMELESS, possibleNames, readNameless, spellingsOfName } from './bond-names.ts'
import { type Refusal, RefusalError, refusalOf, shorten, toRefusal } from './report.ts'
import { foldName } from './same-animal.ts'
import { findExisting, idInFile, joinId, type Origin } from './sources.ts'
import type { NamedBond } from './validate.ts'
import type { ImportedAnimal } from './write.ts'

// Joins the bonds of a file when all of its animals are in the store. A bond that one animal names binds all
// of its animals. If one animal is missing or on hold, the others are not published.

/** Two organizations may use the same id in one file, and all animals of a bond belong to one of them. */
const keyIn = (organizationId: number | undefined, key: string): string =>
  organizationId === undefined ? key : joinId(key, organizationId)

/** Begins the key of an animal that the file does not name, followed by the key of its partner. */
const UNNAMED = `${NAMELESS} `

/** Longer texts are not names of animals. */
const MAX_NAME = 200

const nameKey = (text: string, organizationId: number | undefined): string =>
  keyIn(organizationId, foldName(text.slice(0, MAX_NAME)))

/** Collects the animals of a file. Keeps only the id in the store of an animal that names no others. */
export function createBondList() {
  const naming = new Map<string, ImportedAnimal>()
  const others = new Map<string, number>()
  const refused = new Map<string, NamedBond>()
  const gone = new Set<string>()
  /** The names or ids of the animals on hold. */
  const held = new Map<string, string>()
  /** The names of the animals that name others, by their lines. */
  const titles = new Map<number, string | undefined>()
  const names = createNames((key) => naming.has(key) || others.has(key) || refused.has(key))

  return {
    /** @param bonds the bonds of all lines, also of lines whose animals were not imported */
    add(imported: ImportedAnimal[], bonds: NamedBond[]): void {
      const byLine = new Map(imported.map((animal) => [animal.line, animal]))
      for (const animal of imported) {
        const key = keyIn(animal.organizationId, animal.key)
        if (animal.with.length > 0) naming.set(key, animal)
        else others.set(key, animal.petId)
      }
      for (const bond of bonds) {
        const { organizationId } = byLine.get(bond.line) ?? bond
        if (bond.with.length > 0) titles.set(bond.line, bond.title)
        const key = keyIn(organizationId, bond.key)
        names.add({ ...bond, organizationId }, key)
        if (bond.absence === 'held') held.set(key, bond.title || bond.key)
        if (byLine.has(bond.line)) continue
        if (bond.with.length > 0) refused.set(key, bond)
        if (bond.absence === 'gone') gone.add(key)
      }
    },
    titleOf: (line: number): string | undefined => titles.get(line),
    petIdOf: (key: string): number | undefined => naming.get(key)?.petId ?? others.get(key),
    /** Whether the file says that the animal has died or left. */
    isGone: (key: string): boolean => gone.has(key),
    /** The names of the animals of a group that the file keeps off the public pages. */
    held: (keys: string[]): string[] => keys.flatMap((key) => held.get(key) ?? []),
    /** Whether a key is the mark of several animals, and not an animal. */
    isMark: names.isMark,
    /** Whether a missing animal is named by a name that several animals have. */
    isAmbiguous: names.isAmbiguous,
    /** The keys of each group of animals that name each other, directly or through others. */
    groups(): string[][] {
      const all = new Map<string, NamingAnimal>([...refused, ...naming])
      return findGroups([...all].map(([key, animal]) => [key, names.resolve(key, animal)]))
    },
    /** The animals of a group that name others. */
    naming: (keys: string[]): ImportedAnimal[] => keys.flatMap((key) => naming.get(key) ?? []),
    /** The animals of a group that name others, but were not imported. */
    refused: (keys: string[]): NamedBond[] => keys.flatMap((key) => refused.get(key) ?? []),
  }
}

/** Finds the animals that texts name. @param isKey whether an animal of the file has a key */
function createNames(isKey: (key: string) => boolean) {
  /** The keys of the animals in tables by their names; undefined for a name that several animals have. */
  const byName = new Map<string, string | undefined>()
  const ambiguous = new Set<string>()
  const marks = createMarks()

  /** The keys of the animals that an animal names by their ids or, in a table, by their names. */
  function resolve(ownKey: string, { with: texts, organizationId }: NamingAnimal): string[] {
    return texts.flatMap((text) => {
      const nameless = readNameless(text)
      const key = keyIn(organizationId, text)
      if (nameless?.sentence !== undefined) return resolveSentence(nameless.sentence, ownKey, organizationId)
      if (nameless && isCode(nameless.mark ?? '') && marks.isShared(key)) return key
      const spellings = spellingsOfName(nameless?.mark ?? text)
      for (const spelling of spellings) {
        const found = resolveOne(spelling, organizationId)
        if (found) return found
      }
      if (spellings.some((one) => byName.has(nameKey(one, organizationId)))) ambiguous.add(key)
      return key
    })
  }

  /** The keys of the animals whose names are in a sentence about a bond, or a key of a missing animal. */
  function resolveSentence(sentence: string, ownKey: string, organizationId: number | undefined): string[] {
    const named = possibleNames(sentence).flatMap((name) => byName.get(nameKey(name, organizationId)) ?? [])
    const found = [...new Set(named)].filter((key) => key !== ownKey)
    return found.length > 0 ? found : [UNNAMED + ownKey]
  }

  function resolveOne(text: string, organizationId: number | undefined): string | string[] | undefined {
    const key = keyIn(organizationId, text)
    if (isKey(key)) return key
    const named = byName.get(nameKey(text, organizationId))
    if (named !== undefined) return named
    // Ids may be separated by spaces.
    const ids = text.split(/\s+/, MAX_BONDED_PETS + 1).map((id) => keyIn(organizationId, id))
    return ids.every(isKey) ? ids : undefined
  }

  return {
    add({ name, organizationId, with: texts }: NamedBond, key: string): void {
      if (name) {
        const folded = keyIn(organizationId, name)
        byName.set(folded, (byName.has(folded) ? byName.get(folded) : key) === key ? key : undefined)
      }
      for (const text of texts) if (readNameless(text)?.mark) marks.add(keyIn(organizationId, text), key)
    },
    resolve,
    isMark: marks.isShared,
    isAmbiguous: (key: string): boolean => ambiguous.has(key),
  }
}

/** Collects which animals have the same mark of their bond, such as the number of a pair. */
function createMarks() {
  const animals = new Map<string, Set<string>>()
  return {
    add(mark: string, key: string): void {
      animals.set(mark, (animals.get(mark) ?? new Set()).add(key))
    },
    /** A 1 means yes if the file has no 2. */
    isShared: (mark: string): boolean =>
      (animals.get(mark)?.size ?? 0) > 1 &&
      (!/#1(?:\n|$)/.test(mark) || animals.has(mark.replace('#1', '#2'))),
  }
}

type NamingAnimal = Pick<NamedBond, 'with' | 'organizationId'>

/** @param naming the keys that each animal names */
function findGroups(naming: [key: string, others: string[]][]): string[][] {
  const neighbors = new Map<string, string[]>()
  const link = (one: string, other: string): void => {
    const existing = neighbors.get(one)
    if (existing) existing.push(other)
    else neighbors.set(one, [other])
  }
  for (const [key, others] of naming)
    for (const other of others) {
      link(key, other)
      link(other, key)
    }
  const seen = new Set<string>()
  const isNew = (key: string): boolean => seen.size < seen.add(key).size
  return naming.flatMap(([first]) => {
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
  /** Whether bonds name ids that the store remembers, so others may be from an earlier file. */
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
    const absent = keys.filter((key) => !petIds.has(key) && !animals.isMark(key))
    const named = absent.filter((key) => !key.startsWith(UNNAMED))
    // A partner without a name may be another animal of the file, or a partner in the store.
    const isComplete = petIds.size > 1 || named.length === absent.length || (await areBonded(petIds, context))
    const missing = isComplete ? named : absent
    const held = animals.held(keys.filter((key) => petIds.has(key)))
    try {
      if (!context.dryRun && naming.length > 0) await saveBond([...petIds.values()], context)
      if (missing.length > 0) throw lackingBond(missing, missing.some(animals.isAmbiguous))
      if (held.length > 0 && held.length < petIds.size) throw heldBond(held)
      if (petIds.size > MAX_BONDED_PETS + 1) throw new RefusalError('Too many animals are bonded.')
      if (!context.dryRun) await publish(naming, context)
    } catch (error) {
      lost += petIds.size - (missing.length > 0 ? 0 : held.length)
      await hide([...petIds.values()], context)
      for (const { line, id } of naming)
        context.onRefused(bondRefusal({ line, id, name: animals.titleOf(line) }, error))
      if (naming.length === 0) for (const bond of animals.refused(keys)) context.onRefused(lostPartners(bond))
    }
  }
  return lost
}

/** Whether all animals have a bond in the store, which staff may have completed. */
async function areBonded(petIds: ReadonlyMap<string, number>, { db }: BondContext): Promise<boolean> {
  const stored = await pets.findMany(db, [...petIds.values()])
  return stored.every(({ bondedWith = [] }) => bondedWith.length > 0)
}

function lackingBond(missing: string[], isAmbiguous: boolean): RefusalError {
  const named = missing.filter((key) => !key.startsWith(UNNAMED))
  const names = named.map((key) => readNameless(idInFile(key))?.mark ?? idInFile(key)).join(', ')
  if (named.length === 0) {
    const message = 'It must be adopted with a partner that the file does not name, so it is not published.'
    return new RefusalError({ code: 'bond_unnamed', message })
  }
  if (isAmbiguous) {
    const message = `It is bonded with ${names}, a name that several animals have, so it is not published.`
    return new RefusalError({ code: 'bond_unclear', value: shorten(names), message })
  }
  const message = `It is bonded with ${names}, which was not imported, so it is not published.`
  return new RefusalError({ code: 'bond_lacking', value: shorten(names), message })
}

function heldBond(held: string[]): RefusalError {
  const names = held.join(', ')
  const message = `${names} is not published, so no animal that is bonded with it is published.`
  return new RefusalError({ code: 'bond_held', value: shorten(names), message })
}

/** The refusal of a line whose animal was not imported, although others are bonded with it. */
function lostPartners({ line, id, title, with: others }: NamedBond): Refusal {
  const names = others.join(', ')
  const message = `It was not imported, so ${names}, with which it is bonded, is not published.`
  const error = new RefusalError({ code: 'bond_lost', value: shorten(names), message })
  return bondRefusal({ line, id, name: title }, error)
}

function bondRefusal(animal: Parameters<typeof refusalOf>[0], error: unknown): Refusal {
  const refusal = refusalOf(animal, error)
  return { ...refusal, reason: `bondedWith: ${refusal.reason}` }
}

/** The ids in the store of the animals of a group. Leaves out missing animals. */
async function findPetIds(
  animals: BondList,
  keys: string[],
  { db, origin, hasSourceIds }: BondContext,
): Promise<Map<string, number>> {
  const found = new Map(keys.map((key) => [key, animals.petIdOf(key)]))
  const unknown = keys.filter(
    (key) => found.get(key) === undefined && !animals.isGone(key) && !key.startsWith(NAMELESS),
  )
  if (hasSourceIds && unknown.length > 0) {
    const [{ organizationId } = {}] = [...animals.naming(keys), ...animals.refused(keys)]
    const pet = { organizationId: organizationId ?? origin.fileOf }
    const candidates = unknown.flatMap((key) => [key, idInFile(key)].map((sourceId) => ({ sourceId, pet })))
    for (const { sourceId, pet } of await findExisting(db, origin, candidates))
      if (pet.organizationId === organizationId) found.set(keyIn(organizationId, idInFile(sourceId)), pet.id)
  }
  return new Map([...found].filter((pair): pair is [string, number] => pair[1] !== undefined))
}

/** All animals of a bond list each other, so one change is enough. Those with an outcome have left it. */
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
