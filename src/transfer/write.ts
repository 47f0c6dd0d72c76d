import { updatePet } from '../applications/pet-changes.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { categoryNames, withAge } from '../pets/age.ts'
import { MEMBERS } from '../pets/fields.ts'
import { changesOf } from '../pets/history.ts'
import { findByMicrochip, foldMicrochip } from '../pets/microchips.ts'
import { checkProfile, externalIdKey, findTakenExternalIds, merge } from '../pets/rules.ts'
import type { NewPet, Pet, PetPatch } from '../pets/schema.ts'
import * as pets from '../pets/store.ts'
import { type Creation, insertPets } from '../pets/store.ts'
import { PLACE_MEMBERS } from '../places/gazetteer.ts'
import { type Retractable, withAnswers, withRemovals } from './answers.ts'
import type { AnimalPhotos } from './photos.ts'
import { type Refusal, RefusalError, refusalOf, type SameChip } from './report.ts'
import { guardAnimals, hasOtherName } from './same-animal.ts'
import {
  type ExistingAnimal,
  findExisting,
  insertSources,
  isByRow,
  linkSource,
  type Origin,
  ROWS,
} from './sources.ts'
import type { Bond, ValidAnimal } from './validate.ts'

// Writes a batch of valid animals in one transaction: adds new animals and updates those imported before.

export interface ImportPlan extends Creation, Origin {
  /** The organization of the key, if any. */
  organizationId: number | undefined
  /** Whether to update animals that were imported before, instead of refusing them. */
  update: boolean
  dryRun: boolean
  /** Whether a line so far has shown that the file is of another shelter. */
  isForeign?: boolean
}

export interface BatchOutcome extends Pick<ImportPlan, 'isForeign'> {
  added: number
  updated: number
  /** Animals that were imported before and have not changed since. */
  unchanged: number
  /** Animals that are no longer published, because the file says that they are held or have left. */
  takenOff: number
  /** The values that the file took back, by the paths of their members, with repetitions. */
  withdrawn: Retractable[]
  refused: Refusal[]
  /** How many animals were processed; the rest needs another transaction. */
  processed: number
  /** Animals that bonds of the file may name. The others of a bond may be in a later batch. */
  bonded: (Bond & { petId: number })[]
  photographed: AnimalPhotos[]
  /** Names of members that were not imported, with repetitions. */
  leftOut: string[]
  /** Animals with the microchip of another animal in the store. */
  sameChips: SameChip[]
}

const DRY_RUN_PREFIX = 'dry run: '

/**
 * Rolls back a dry run. The message carries the outcome, because an error from the writer thread keeps only
 * its message.
 */
class DryRunRollback extends Error {
  constructor(outcome: BatchOutcome) {
    super(DRY_RUN_PREFIX + JSON.stringify(outcome))
  }
}

/**
 * Reads the outcome of a dry run from the error that rolled it back.
 *
 * @throws any other error
 */
export function readDryRun(error: unknown): BatchOutcome {
  const { message = '' } = error as { message?: string }
  if (!message.startsWith(DRY_RUN_PREFIX)) throw error
  return JSON.parse(message.slice(DRY_RUN_PREFIX.length))
}

interface NewAnimal {
  sourceId: string | undefined
  pet: NewPet
  bond?: Bond | undefined
  photographed?: Omit<AnimalPhotos, 'petId'> | undefined
}

/**
 * Updates up to this many animals per transaction. Each update changes the same rows of the inventory, and
 * PostgreSQL reads all row versions of the transaction to find the latest.
 */
const MAX_CHANGED = 200

/**
 * Writes animals in the current transaction. Writes only the first animals if there are too many for one
 * transaction. An error in one animal refuses only that animal.
 *
 * @throws {DryRunRollback} at the end of a dry run
 */
export async function importBatch(db: Db, animals: ValidAnimal[], plan: ImportPlan): Promise<BatchOutcome> {
  const pets = animals.map(({ pet }) => pet)
  const numbers = await findTakenExternalIds(db, pets)
  const existing = await readExisting(db, animals, numbers, plan)
  const outcome: BatchOutcome = {
    ...{ added: 0, updated: 0, unchanged: 0, takenOff: 0, processed: 0, isForeign: existing.isForeign },
    ...{ withdrawn: [], refused: [], bonded: [], photographed: [], leftOut: [], sameChips: [] },
  }
  const findSameChip = await readChips(db, animals, plan)
  const added = new Map<string, NewAnimal>()
  const queue: NewAnimal[] = []

  for (const animal of animals) {
    const { line, sourceId, photos } = animal
    const photographed = photos && { line, id: isByRow(plan) ? undefined : sourceId, photos }
    if (outcome.updated === MAX_CHANGED) break
    outcome.processed += 1
    try {
      // The animal is in this batch twice: it must be added before it can be updated.
      if (sourceId !== undefined && added.has(sourceId)) await addAll()
      const before = existing.find(animal)
      const { pet, bond } = withBond(animal, before?.pet)
      if (before) existing.requireSame(before, pet)
      outcome.sameChips.push(...findSameChip(animal, before?.pet.id))
      const isTakenOff = animal.unlisted && plan.update && isOffered(before?.pet)
      if (animal.gone) {
        if (before && isTakenOff) await change(db, before, HIDDEN, plan)
        if (isTakenOff) outcome.takenOff += 1
        throw new RefusalError(animal.gone)
      }
      if (!takeNumber(numbers, pet, before?.pet.id)) {
        if (animal.isOurs) throw numberTaken()
        delete pet.externalId
        outcome.leftOut.push('externalId (another animal has it)')
      }
      if (before) {
        // Also adds the photos of an animal that is refused because it exists, so an interrupted import can
        // resume.
        if (photographed) outcome.photographed.push({ ...photographed, petId: before.pet.id })
        const { patch, removed } = patchOf(before.pet, { ...animal, pet })
        outcome[await updateExisting(db, before, { ...animal, patch }, plan)] += 1
        outcome.withdrawn.push(...removed)
        if (isTakenOff) outcome.takenOff += 1
        if (bond) outcome.bonded.push({ ...bond, petId: before.pet.id })
      } else {
        const whole = withPoint(withAnswers(pet, animal.answers), animal.point)
        enqueue({ pet: whole, sourceId, bond, photographed })
      }
    } catch (error) {
      outcome.refused.push(
        refusalOf({ line, id: isByRow(plan) ? undefined : sourceId, name: animal.pet.name }, error),
      )
    }
  }
  await addAll()
  if (plan.dryRun) throw new DryRunRollback(outcome)
  return outcome

  function enqueue(animal: NewAnimal): void {
    outcome.added += 1
    queue.push(animal)
    if (animal.sourceId !== undefined) added.set(animal.sourceId, animal)
  }

  async function addAll(): Promise<void> {
    const all = queue.splice(0)
    // A dry run must not use up ids: PostgreSQL never reuses them.
    const petIds = plan.dryRun ? [] : await addAnimals(db, all, plan)
    for (const [index, { sourceId = '', pet, bond, photographed }] of all.entries()) {
      const id = petIds[index] ?? 0
      const number = externalIdKey(pet)
      if (number !== undefined) numbers.set(number, id)
      if (bond) outcome.bonded.push({ ...bond, petId: id })
      if (photographed) outcome.photographed.push({ ...photographed, petId: id })
      if (added.delete(sourceId)) existing.add({ sourceId, pet: { id, ...toPet(pet) }, isOfSameFile: true })
    }
  }
}

/** An animal that names others gets its status with its bond, unless it is published already. */
function withBond({ pet, bond }: ValidAnimal, before?: Pet): Pick<NewAnimal, 'pet' | 'bond'> {
  const { status, ...hidden } = pet
  if (!bond?.with.length || status === 'sold' || before?.status !== undefined) return { pet, bond }
  return { pet: hidden, bond: { ...bond, status } }
}

/** @returns a function that finds another animal with the microchip of a line, among those the key may see */
async function readChips(db: Db, animals: ValidAnimal[], { organizationId }: ImportPlan) {
  const chips = animals.flatMap(({ pet }) => foldMicrochip(pet) ?? [])
  const found = await findByMicrochip(db, chips, organizationId)
  return ({ line, pet }: ValidAnimal, own: number | undefined): SameChip[] => {
    const ids = found.get(foldMicrochip(pet) ?? '') ?? []
    return ids
      .filter((id) => id !== own)
      .slice(0, 1)
      .map((animal) => ({ line, animal }))
  }
}

/** Finds the animals of a batch that were imported before. */
async function readExisting(
  db: Db,
  animals: ValidAnimal[],
  numbers: ReadonlyMap<string, number>,
  plan: ImportPlan,
) {
  const ofSameFile = new Map<string, ExistingAnimal>()
  /** Animals from other files, by organization and id. */
  const others = new Map<string, ExistingAnimal>()
  const keyOf = (organizationId: unknown, sourceId: string): string => `${organizationId} ${sourceId}`
  function add(existing: ExistingAnimal): void {
    const { sourceId, pet, isOfSameFile } = existing
    if (isOfSameFile) ofSameFile.set(sourceId, existing)
    else others.set(keyOf(pet.organizationId, sourceId), existing)
  }
  for (const existing of await findExisting(db, plan, animals)) add(existing)
  const numbered = await pets.findMany(db, [...numbers.values()])
  const byNumber = new Map(numbered.map((pet) => [externalIdKey(pet), pet]))
  // The same line was imported before without its id.
  const { fileOf } = plan
  const lines = animals.map(({ rowKey, pet }) => ({ sourceId: rowKey, pet }))
  const rows = isByRow(plan) ? [] : await findExisting(db, { source: ROWS, fileOf }, lines)
  const byRow = new Map(rows.map((row) => [row.isOfSameFile && row.sourceId, row.pet]))
  function find({ sourceId, rowKey = '', pet }: ValidAnimal): ExistingAnimal | undefined {
    if (sourceId === undefined) return undefined
    const { organizationId } = pet
    const ofFile = ofSameFile.get(sourceId)
    const existing =
      ofFile || organizationId === undefined ? ofFile : others.get(keyOf(organizationId, sourceId))
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
    requireHere(existing, plan)
    guard.require(existing.pet, read)
  }
  return { add, find, requireSame, isForeign: guard.isForeign }
}

/**
 * The error message contains neither id nor status, because the animal now belongs to another organization.
 *
 * @throws {RefusalError}
 */
function requireHere({ pet }: ExistingAnimal, { fileOf }: ImportPlan): void {
  if (fileOf !== undefined && pet.organizationId !== fileOf)
    throw new RefusalError({
      code: 'moved_away',
      message: 'It was imported before, but no longer belongs to this organization.',
    })
}

/**
 * Reserves the `externalId` of an animal. If the store refused it, the complete batch would fail.
 *
 * @param numbers used numbers with the id of their animal; 0 for an animal of this batch without an id
 * @returns false if another animal has the number
 */
function takeNumber(numbers: Map<string, number>, pet: NewPet, own?: number): boolean {
  const number = externalIdKey(pet)
  if (number === undefined) return true
  const holder = numbers.get(number)
  if (holder !== undefined && (holder === 0 || holder !== own)) return false
  numbers.set(number, own ?? 0)
  return true
}

function numberTaken(): RefusalError {
  const message = 'Another animal of the same organization has this number.'
  return new RefusalError({ code: 'external_id_exists', pointer: '/externalId', message })
}

const withPoint = (pet: NewPet, point: ValidAnimal['point']): NewPet =>
  point ? { ...pet, place: { ...pet.place, ...point } } : pet

/** @returns the new ids, in the order of the animals */
async function addAnimals(db: Db, animals: NewAnimal[], plan: ImportPlan): Promise<number[]> {
  const nameOf = categoryNames(db)
  const aged = await Promise.all(animals.map(({ pet }) => withAge(nameOf, pet, plan.now)))
  const ids = await insertPets(db, aged, plan)
  const sourced = animals.flatMap(({ sourceId }, index) =>
    sourceId === undefined ? [] : [{ sourceId, petId: ids[index] as number }],
  )
  await insertSources(db, plan, sourced)
  return ids
}

/** @throws {RefusalError} @throws {ApiError} as `updatePet` */
async function updateExisting(
  db: Db,
  before: ExistingAnimal,
  { patch, unlisted }: ValidAnimal & { patch: PetPatch },
  plan: ImportPlan,
): Promise<'updated' | 'unchanged'> {
  const hidden = unlisted && isOffered(before.pet) ? { ...patch, ...HIDDEN } : patch
  const outcome = await change(db, before, hidden, plan)
  if (before.isNew) await linkSource(db, plan, { sourceId: before.sourceId, petId: before.pet.id })
  return outcome
}

/** Whether people can apply for an animal, or see that somebody else has. */
export function isOffered(pet: Pet | undefined): boolean {
  return pet?.status === 'available' || pet?.status === 'pending'
}

/**
 * Removes the status of an animal, so it is no longer published. The API does not offer this change, because
 * a status is a permanent member of the original contract.
 */
export const HIDDEN = { status: null } as unknown as PetPatch

/** @throws {RefusalError} @throws {ApiError} as `updatePet` */
async function change(
  db: Db,
  before: ExistingAnimal,
  patch: PetPatch,
  { update, source, keyId, organizationId, now }: ImportPlan,
): Promise<'updated' | 'unchanged'> {
  const { id, status } = before.pet
  // Members that the file does not have stay, because files of other programs lack some members.
  const merged = merge(before.pet, patch)
  checkProfile(merged, patch, now)
  const { pet: after } = await withAge(categoryNames(db), merged, now)
  if (Object.keys(changesOf(before.pet, after)).length === 0) return 'unchanged'
  if (!update) {
    const message = `It was imported before, as animal ${id}; ${isByRow({ source }) ? '--key ID' : '--update'} changes it.`
    throw new RefusalError({ code: 'known_before', value: String(id), message })
  }
  // In a dry run, an animal that an earlier line added has no id, so there is nothing to update.
  if (id > 0)
    await updatePet(db, patch, { id, by: { keyId, organizationId }, now }).catch((error) => {
      if (patch.status !== null || !(error instanceof ApiError) || error.code !== 'order_open') throw error
      const message = `The file says that it is not for adoption, but animal ${id} is ${status} and has an open order: cancel the order.`
      throw new RefusalError({ code: 'not_for_adoption', value: String(id), message })
    })
  before.pet = { id, ...toPet(after) }
  return 'updated'
}

/** The animal as the API returns it. */
function toPet(pet: NewPet): Omit<Pet, 'id'> {
  const named = MEMBERS.filter((member) => pet[member] !== undefined)
  return Object.fromEntries(named.map((member) => [member, pet[member]])) as never
}

const DAY_MS = 86_400_000

/** The changes of a line to an existing animal, and the values that the line takes back. */
function patchOf(
  before: Pet,
  { pet, point, answers, ...animal }: ValidAnimal,
): { patch: PetPatch; removed: Retractable[] } {
  const { age, ...moved } = isMoved(before.place, pet.place) ? clearCoordinates(pet, point) : pet
  // With a birth date, the age is computed.
  const hasBirthDate = (moved.birthDate ?? before.birthDate) !== undefined
  const patch: PetPatch = hasBirthDate || age === undefined ? moved : { ...moved, age }
  // The same age in a later file would make the animal younger.
  if (animal.ageDays !== undefined && before.birthDate !== undefined && pet.birthDate !== undefined) {
    const days = Math.abs(Date.parse(before.birthDate) - Date.parse(pet.birthDate)) / DAY_MS
    if (days <= animal.ageDays)
      for (const member of ['birthDate', 'birthDateExact'] as const) delete patch[member]
  }
  // A person may have given the animal a name.
  if (animal.isNameless) delete patch.name
  const { goodWith } = before
  const noes = (animal.noLongerNo ?? []).filter((part) => goodWith?.[part as keyof typeof goodWith] === false)
  const withdrawn = [...(animal.withdrawn ?? []), ...noes.map((part) => `goodWith.${part}`)]
  return withRemovals(withAnswers(patch, answers, before), before, withdrawn)
}

/**
 * Whether the file has a different place than the store. For the same place, the stored coordinates may be
 * more exact than those of the city.
 */
function isMoved(before: NewPet['place'] = {}, read: NewPet['place'] = {}): boolean {
  return PLACE_MEMBERS.some((name) => read[name] !== undefined && read[name] !== before[name])
}

/** Replaces or removes the coordinates of the previous place. */
function clearCoordinates(pet: NewPet, point: ValidAnimal['point']): PetPatch {
  if (pet.place?.latitude !== undefined) return pet
  return { ...pet, place: { ...pet.place, ...(point ?? { latitude: null, longitude: null }) } }
}
