import { updatePet } from '../applications/pet-changes.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { MEMBERS } from '../pets/fields.ts'
import { changesOf } from '../pets/history.ts'
import {
  categoryNames,
  checkProfile,
  externalIdKey,
  findTakenExternalIds,
  HIDDEN,
  isKeptBack,
  isListed,
  merge,
  withAge,
} from '../pets/rules.ts'
import type { NewPet, Pet, PetPatch } from '../pets/schema.ts'
import { findByMicrochip, foldMicrochip } from '../pets/staff-list.ts'
import { type Creation, insertPets } from '../pets/store.ts'
import { PLACE_MEMBERS } from '../places/gazetteer.ts'
import { type Retractable, withAnswers, withRemovals } from './answers.ts'
import { type KnownAnimals, type Recognition, readKnownAnimals } from './known-animals.ts'
import type { AnimalPhotos } from './photos.ts'
import { KEPT_BACK, type Refusal, RefusalError, refusalOf, type SameChip, TAKEN_NUMBER } from './report.ts'
import { type ExistingAnimal, insertSources, isByRow, linkSource } from './sources.ts'
import type { Bond, ValidAnimal } from './validate.ts'

// Writes a batch of valid animals in one transaction: adds new animals and updates those imported before.

export interface ImportPlan extends Creation, Recognition {
  /** The organization of the key, if any. */
  organizationId: number | undefined
  /** Whether to update animals that were imported before, instead of refusing them. */
  update: boolean
  dryRun: boolean
}

export interface BatchOutcome extends Pick<ImportPlan, 'isForeign'> {
  added: number
  updated: number
  /** Animals that were imported before and have not changed since. */
  unchanged: number
  /** Animals that are no longer published, because the file says that they are held or have left. */
  takenOff: number
  /** The values that the file removed, by the paths of their members, with repetitions. */
  withdrawn: Retractable[]
  refused: Refusal[]
  /** The positions of animals that must be written in another transaction. */
  rest: number[]
  /** The stored animals of the lines. */
  seen: number[]
  /** Animals that bonds of the file may name. The others of a bond may be in a later batch. */
  bonded: ImportedAnimal[]
  photographed: AnimalPhotos[]
  /** Names of members that were not imported, with repetitions. */
  leftOut: string[]
  /** Animals with the microchip of another animal in the store. */
  sameChips: SameChip[]
}

/** An animal of the file that is in the store. In a dry run, a new animal has the id 0. */
export type ImportedAnimal = Bond & { petId: number; organizationId: number | undefined }

const DRY_RUN_PREFIX = 'dry run: '

/** Rolls back a dry run. Its message has the outcome, because only messages leave the writer thread. */
class DryRunRollback extends Error {
  constructor(outcome: BatchOutcome) {
    super(DRY_RUN_PREFIX + JSON.stringify(outcome))
  }
}

/** Reads the outcome of a dry run from the error that rolled it back. @throws any other error */
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
 * Writes animals in the current transaction; only the first ones if there are too many for it. An error in
 * one animal refuses only that animal.
 * @throws {DryRunRollback} at the end of a dry run
 */
export async function importBatch(db: Db, animals: ValidAnimal[], plan: ImportPlan): Promise<BatchOutcome> {
  const pets = animals.map(({ pet }) => pet)
  const numbers = await findTakenExternalIds(db, pets)
  const existing = await readKnownAnimals(db, animals, numbers, plan)
  const outcome: BatchOutcome = {
    ...{ added: 0, updated: 0, unchanged: 0, takenOff: 0, rest: [], seen: [], isForeign: existing.isForeign },
    ...{ withdrawn: [], refused: [], bonded: [], photographed: [], leftOut: [], sameChips: [] },
  }
  const batch = { db, plan, numbers, existing, outcome, findSameChip: await readChips(db, animals, plan) }
  const { writeAnimal, addQueued } = createBatchWriter(batch)
  const positions = orderByStoredId(animals, existing)
  for (const [index, position] of positions.entries()) {
    if (outcome.updated === MAX_CHANGED) {
      outcome.rest = positions.slice(index).sort((one, other) => one - other)
      break
    }
    await writeAnimal(animals[position] as ValidAnimal)
  }
  await addQueued()
  if (plan.dryRun) throw new DryRunRollback(outcome)
  return outcome
}

/**
 * The positions of the animals in the order in which they are written: stored animals by their ids, then new
 * ones. All transactions lock animals in this order, so no two of them wait for each other.
 */
function orderByStoredId(animals: ValidAnimal[], existing: KnownAnimals): number[] {
  const ids = animals.map((animal) => existing.find(animal)?.pet.id ?? Number.MAX_SAFE_INTEGER)
  return [...animals.keys()].sort((one, other) => Number(ids[one]) - Number(ids[other]))
}

interface BatchWriting {
  db: Db
  plan: ImportPlan
  /** The used values of `externalId`; see `takeNumber`. */
  numbers: Map<string, number>
  existing: KnownAnimals
  findSameChip: Awaited<ReturnType<typeof readChips>>
  /** The writer adds its results here. */
  outcome: BatchOutcome
}

function createBatchWriter({ db, plan, numbers, existing, findSameChip, outcome }: BatchWriting) {
  const queue: NewAnimal[] = []
  /** The animals of the queue by the ids that the store will remember. */
  const queued = new Map<string, NewAnimal>()

  async function writeAnimal(animal: ValidAnimal): Promise<void> {
    const { line, id, pet } = animal
    try {
      // The animal is in this batch twice: it must be added before it can be updated.
      const isQueued = (id: string) => queued.get(id)?.pet.organizationId === pet.organizationId
      if (existing.idsFor(animal).some((id) => queued.has(id) && isQueued(id))) await addQueued()
      await updateOrQueue(animal)
    } catch (error) {
      outcome.refused.push(refusalOf({ line, id, name: pet.name }, error))
    }
  }

  async function updateOrQueue(read: ValidAnimal): Promise<void> {
    const photographed = read.photos && { line: read.line, id: read.id, photos: read.photos }
    const before = existing.find(read)
    const animal = keepBack(read, before?.pet, outcome)
    if (before) outcome.seen.push(before.pet.id)
    const { pet, bond } = withBond(animal, before?.pet)
    if (before) existing.requireSame(before, pet)
    outcome.sameChips.push(...findSameChip(animal, before?.pet.id))
    const isTakenOff = animal.unlisted && plan.update && isListed(before?.pet)
    if (animal.gone) {
      if (before && isTakenOff) await change(db, before, HIDDEN, plan)
      if (isTakenOff) outcome.takenOff += 1
      throw new RefusalError(animal.gone)
    }
    if (!before) existing.byId.requireOwnId(animal)
    if (!takeNumber(numbers, pet, before?.pet.id)) {
      if (animal.isOurs) throw numberTaken()
      delete pet.externalId
      outcome.leftOut.push(TAKEN_NUMBER)
    }
    if (!before) {
      const whole = withPoint(withAnswers(pet, animal.answers), animal.point)
      return enqueue({ pet: whole, sourceId: existing.byId.chooseId(animal, queued), bond, photographed })
    }
    // An animal that is refused because it exists gets photos too, so an interrupted import can resume.
    const { id: petId, organizationId: own } = before.pet
    if (photographed) outcome.photographed.push({ ...photographed, petId })
    const { patch, removed } = patchOf(before.pet, { ...animal, pet })
    const bonded = bond && { ...bond, petId, organizationId: pet.organizationId ?? own }
    const changed = updateExisting(db, before, { ...animal, patch }, plan)
    outcome[await changed.catch(refuseWithBond(outcome, bonded))] += 1
    const sourceId = before.isNew && existing.byId.chooseId(animal, queued)
    if (sourceId) await linkSource(db, plan, { sourceId, petId })
    outcome.withdrawn.push(...removed)
    outcome.takenOff += Number(isTakenOff)
    if (bonded) outcome.bonded.push(bonded)
  }

  function enqueue(animal: NewAnimal): void {
    outcome.added += 1
    queue.push(animal)
    if (animal.sourceId !== undefined) queued.set(animal.sourceId, animal)
  }

  async function addQueued(): Promise<void> {
    const all = queue.splice(0)
    // A dry run must not use up ids: PostgreSQL never reuses them.
    const petIds = plan.dryRun ? [] : await addAnimals(db, all, plan)
    outcome.seen.push(...petIds)
    for (const [index, { sourceId = '', pet, bond, photographed }] of all.entries()) {
      const id = petIds[index] ?? 0
      const number = externalIdKey(pet)
      if (number !== undefined) numbers.set(number, id)
      const { organizationId } = pet
      if (bond) outcome.bonded.push({ ...bond, petId: id, organizationId })
      if (photographed) outcome.photographed.push({ ...photographed, petId: id })
      if (queued.delete(sourceId))
        existing.byId.add({ sourceId, pet: { id, ...toPet(pet) }, isOfSameFile: true })
    }
  }

  return { writeAnimal, addQueued }
}

/** The animal of a refused line stays in the store, so the bonds that others have with it are complete. */
const refuseWithBond =
  ({ bonded }: BatchOutcome, animal: ImportedAnimal | undefined) =>
  (error: unknown): never => {
    if (animal) bonded.push({ ...animal, with: [], status: undefined })
    throw error
  }

/** The other program may not know that staff have put an animal on hold or recorded its outcome here. */
function keepBack(animal: ValidAnimal, before: Pet | undefined, { leftOut }: BatchOutcome): ValidAnimal {
  if (!before || !isKeptBack(before) || !isListed(animal.pet)) return animal
  leftOut.push(KEPT_BACK)
  const { status: _status, ...pet } = animal.pet
  return { ...animal, pet }
}

/** An animal that names others gets its status together with its bond, unless it is published already. */
function withBond({ pet, bond }: ValidAnimal, before?: Pet): Pick<NewAnimal, 'pet' | 'bond'> {
  const { status, ...hidden } = pet
  if (!bond?.with.length || status === 'sold' || before?.status !== undefined) return { pet, bond }
  return { pet: hidden, bond: { ...bond, status } }
}

/** @returns a function that finds another animal with a line's microchip that the key may see */
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

/**
 * Reserves the `externalId` of an animal. If the store refused it, the complete batch would fail.
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
  const hidden = unlisted && isListed(before.pet) ? { ...patch, ...HIDDEN } : patch
  return change(db, before, hidden, plan)
}

/** @throws {RefusalError} @throws {ApiError} as `updatePet` */
async function change(
  db: Db,
  before: ExistingAnimal,
  patch: PetPatch,
  { update, source, keyId, organizationId, now }: ImportPlan,
): Promise<'updated' | 'unchanged'> {
  const { id, status } = before.pet
  // Members that the file does not have stay, because files of other programs do not have all members.
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

/** The changes of a line to an existing animal, and the values that the line removes. */
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

/** Whether the file has another place. For an equal place, the coordinates in the store may be more exact. */
function isMoved(before: NewPet['place'] = {}, read: NewPet['place'] = {}): boolean {
  return PLACE_MEMBERS.some((name) => read[name] !== undefined && read[name] !== before[name])
}

/** Replaces or removes the coordinates of the previous place. */
function clearCoordinates(pet: NewPet, point: ValidAnimal['point']): PetPatch {
  if (pet.place?.latitude !== undefined) return pet
  return { ...pet, place: { ...pet.place, ...(point ?? { latitude: null, longitude: null }) } }
}
