import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { updatePet } from '../orders/guarded-pets.ts'
import { categoryNames, withAge } from '../pets/age.ts'
import { changesOf } from '../pets/change.ts'
import { MEMBERS, shownOf } from '../pets/fields.ts'
import { type Adding, insertPets } from '../pets/insert-many.ts'
import { checkProfile, merge } from '../pets/profile.ts'
import type { NewPet, Pet } from '../pets/schema.ts'
import { type Refusal, Refused, reasonOf } from './animal.ts'
import { findKnown, insertSources, type Known, rememberFile } from './store.ts'

interface NewAnimal {
  sourceId: string | undefined
  pet: NewPet
}

/** An animal as it may be added, and where it was read. */
export interface Judged {
  line: number
  sourceId: string | undefined
  pet: NewPet
  /** Not for adoption in its source. */
  unlisted: boolean
}

export interface Outcome {
  added: number
  updated: number
  /** Was imported before, and is still the same. */
  unchanged: number
  refused: Refusal[]
  /** How many of the animals these were, from the first on. */
  taken: number
}

interface Origin extends Adding {
  source: string
}

export interface Plan extends Origin {
  /** Whether an animal that was imported before is changed; else it is refused. */
  update: boolean
  dryRun: boolean
  /** Of a file whose animals have no ids: it is known when it comes again. */
  fingerprint?: string | undefined
}

/** Thrown to take a batch back that was only tried. */
export class Tried extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('this was only tried')
    this.outcome = outcome
  }
}

/**
 * So many animals are changed in one transaction. Each change counts in the same rows of the inventory, and
 * PostgreSQL goes through all their versions of this transaction to find the last.
 */
const MOST_CHANGED = 200

/**
 * Brings animals into the store in the transaction it is called in, or the first of them, where all would be
 * too much for one. What is wrong with an animal keeps that animal out, and no other.
 *
 * @throws {Tried} at the end of a dry run
 */
export async function importBatch(db: Db, animals: Judged[], plan: Plan): Promise<Outcome> {
  const outcome: Outcome = { added: 0, updated: 0, unchanged: 0, refused: [], taken: 0 }
  const ids = animals.flatMap(({ sourceId }) => sourceId ?? [])
  const known = new Map((await findKnown(db, plan.source, ids)).map((animal) => [animal.sourceId, animal]))
  const added = new Map<string, NewAnimal>()
  const waiting: NewAnimal[] = []

  for (const animal of animals) {
    const { line, sourceId, pet } = animal
    if (outcome.updated === MOST_CHANGED) break
    outcome.taken += 1
    try {
      // The same animal twice in a batch: the first has to be in the store before it can be changed.
      if (sourceId !== undefined && added.has(sourceId)) await addAll()
      const before = sourceId === undefined ? undefined : known.get(sourceId)
      if (before) outcome[await meetAgain(db, before, animal, plan)] += 1
      else wait({ pet, sourceId })
    } catch (error) {
      const reason = reasonFor(error)
      outcome.refused.push({ line, ...(sourceId !== undefined && { id: sourceId }), reason })
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
    if (plan.fingerprint && petIds[0]) await rememberFile(db, plan.fingerprint, petIds[0], plan.now)
    for (const [index, { sourceId = '', pet }] of all.entries()) {
      const id = petIds[index] ?? 0
      if (added.delete(sourceId)) known.set(sourceId, { sourceId, pet: { id, ...shown(pet) } })
    }
  }
}

/** @returns the new ids, in the order of the animals */
async function addAnimals(db: Db, animals: NewAnimal[], plan: Origin): Promise<number[]> {
  const nameOf = categoryNames(db)
  const aged = await Promise.all(animals.map(({ pet }) => withAge(nameOf, pet, plan.now)))
  const ids = await insertPets(db, aged, plan)
  const sourced = animals.flatMap(({ sourceId }, index) =>
    sourceId === undefined ? [] : [{ sourceId, petId: ids[index] as number }],
  )
  await insertSources(db, plan.source, sourced)
  return ids
}

/** As the service shows what was sent. */
function shown(pet: NewPet): Omit<Pet, 'id'> {
  const named = MEMBERS.filter((member) => pet[member] !== undefined)
  return Object.fromEntries(named.map((member) => [member, shownOf(member, pet[member])])) as never
}

/** @throws {Refused} @throws {ApiError} as `updatePet` */
async function meetAgain(
  db: Db,
  before: Known,
  { pet, unlisted }: Judged,
  { update, keyId, now }: Plan,
): Promise<'updated' | 'unchanged'> {
  const { id, status } = before.pet
  if (!update) throw new Refused(`It was imported before, as animal ${id}; --update changes such animals.`)
  if (unlisted && status !== undefined) {
    throw new Refused(`It is not for adoption there, and here animal ${id} is ${status}: decide by hand.`)
  }
  // What a file does not name stays: an export of another program has not all that is known here.
  const sound = merge(before.pet, pet)
  checkProfile(sound, pet, now)
  const { pet: after } = await withAge(categoryNames(db), sound, now)
  if (Object.keys(changesOf(before.pet, after)).length === 0) return 'unchanged'
  // An animal that a dry run would have added has no id.
  if (id > 0) await updatePet(db, pet, { id: BigInt(id), keyId: Number(keyId), now })
  before.pet = { id, ...shown(after) }
  return 'updated'
}

/** @throws what is not about one animal */
function reasonFor(error: unknown): string {
  if (error instanceof Refused) return error.message
  if (error instanceof ApiError && error.status < 500) return reasonOf(error)
  throw error
}
