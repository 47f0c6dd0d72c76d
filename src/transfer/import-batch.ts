import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { categoryNames, withAge } from '../pets/age.ts'
import { insertPets } from '../pets/insert.ts'
import { ownNumber, takenNumbers } from '../pets/problems.ts'
import type { NewPet } from '../pets/schema.ts'
import { type Photographed, type Refusal, Refused, told } from './animal.ts'
import { knownAnimals, meetAgain, requireHere, shown } from './meet-again.ts'
import { type Bond, type Judged, type Outcome, type Plan, Tried } from './plan.ts'
import { insertSources, rememberFile } from './store.ts'

interface NewAnimal {
  sourceId: string | undefined
  pet: NewPet
  bond?: Bond | undefined
  photographed?: Omit<Photographed, 'petId'> | undefined
}

/**
 * So many animals are changed in one transaction. Each change counts in the same rows of the inventory, and
 * PostgreSQL goes through all their versions of this transaction to find the last.
 */
const MAX_CHANGED = 200

/**
 * Brings animals into the store in the transaction it is called in, or the first of them, where all would be
 * too much for one. What is wrong with an animal keeps that animal out, and no other.
 *
 * @throws {Tried} at the end of a dry run
 */
export async function importBatch(db: Db, animals: Judged[], plan: Plan): Promise<Outcome> {
  const outcome: Outcome = {
    added: 0,
    updated: 0,
    unchanged: 0,
    taken: 0,
    ...{ refused: [], bonded: [], photographed: [], leftOut: [] },
  }
  const known = await knownAnimals(db, animals, plan)
  const taken = await takenNumbers(
    db,
    animals.map(({ pet }) => pet),
  )
  const added = new Map<string, NewAnimal>()
  const waiting: NewAnimal[] = []

  for (const animal of animals) {
    const { line, sourceId, bond, photos, isOurs } = animal
    const { takenBack, ...pet } = animal.pet
    const photographed = photos && { line, id: sourceId, photos }
    if (outcome.updated === MAX_CHANGED) break
    outcome.taken += 1
    try {
      // The same animal twice in a batch: the first has to be in the store before it can be changed.
      if (sourceId !== undefined && added.has(sourceId)) await addAll()
      const before = known.find(animal)
      if (before) requireHere(before, plan)
      if (!take(taken, pet, before?.pet.id)) {
        if (isOurs) throw numberTaken()
        delete pet.externalId
        outcome.leftOut.push('externalId (another animal has it)')
      }
      if (before) {
        // Also of one that is refused as known: so an import that was stopped goes on.
        if (photographed) outcome.photographed.push({ ...photographed, petId: before.pet.id })
        outcome[await meetAgain(db, before, { ...animal, pet }, takenBack ?? [], plan)] += 1
        if (bond) outcome.bonded.push({ ...bond, petId: before.pet.id })
      } else wait({ pet: at(pet, animal.point), sourceId, bond, photographed })
    } catch (error) {
      outcome.refused.push({ line, ...(sourceId !== undefined && { id: sourceId }), ...refusalFor(error) })
    }
  }
  await addAll()
  if (plan.dryRun) throw new Tried(outcome)
  return outcome

  function wait(animal: NewAnimal): void {
    outcome.added += 1
    waiting.push(animal)
    if (animal.sourceId !== undefined) added.set(animal.sourceId, animal)
  }

  async function addAll(): Promise<void> {
    const all = waiting.splice(0)
    // A dry run uses up no ids: PostgreSQL would not give them again.
    const petIds = plan.dryRun ? [] : await addAnimals(db, all, plan)
    if (plan.fingerprint && petIds[0]) await remember(db, plan.fingerprint, petIds[0], plan)
    for (const [index, { sourceId = '', pet, bond, photographed }] of all.entries()) {
      const id = petIds[index] ?? 0
      const number = ownNumber(pet)
      if (number !== undefined) taken.set(number, id)
      if (bond) outcome.bonded.push({ ...bond, petId: id })
      if (photographed) outcome.photographed.push({ ...photographed, petId: id })
      if (added.delete(sourceId)) known.add({ sourceId, pet: { id, ...shown(pet) }, isOfSameFile: true })
    }
  }
}

/**
 * Before the store says it, which would refuse all others too.
 *
 * @param taken numbers and whose they are; 0 for an animal of this batch that has no id yet
 * @returns whether the animal may have its number
 */
function take(taken: Map<string, number>, pet: NewPet, own?: number): boolean {
  const number = ownNumber(pet)
  if (number === undefined) return true
  const holder = taken.get(number)
  if (holder !== undefined && (holder === 0 || holder !== own)) return false
  taken.set(number, own ?? 0)
  return true
}

/** @returns the new ids, in the order of the animals */
async function addAnimals(db: Db, animals: NewAnimal[], plan: Plan): Promise<number[]> {
  const nameOf = categoryNames(db)
  const aged = await Promise.all(animals.map(({ pet }) => withAge(nameOf, pet, plan.now)))
  const ids = await insertPets(db, aged, plan)
  const sourced = animals.flatMap(({ sourceId }, index) =>
    sourceId === undefined ? [] : [{ sourceId, petId: ids[index] as number }],
  )
  await insertSources(db, plan, sourced)
  return ids
}

const at = (pet: NewPet, point: Judged['point']): NewPet =>
  point ? { ...pet, place: { ...pet.place, ...point } } : pet

/** @throws where somebody else brought the same file in meanwhile */
async function remember(
  db: Db,
  fingerprint: string,
  petId: number,
  { now, mayBeKnown }: Plan,
): Promise<void> {
  const isNew = await rememberFile(db, fingerprint, petId, now)
  if (!isNew && !mayBeKnown)
    throw new Error('this file was imported meanwhile by somebody else: nothing was added')
}

function numberTaken(): Refused {
  const message = 'Another animal of the same organization has it.'
  return new Refused({ code: 'external_id_exists', pointer: '/externalId', message })
}

/** Why an animal does not go in. @throws what is not about one animal */
export function refusalFor(error: unknown): Required<Pick<Refusal, 'reason' | 'why'>> {
  if (error instanceof Refused) return { reason: error.message, why: error.why }
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  const { code, message, details } = error
  const why = details ?? [{ code, message }]
  return { reason: why.map(told).join(' '), why }
}
