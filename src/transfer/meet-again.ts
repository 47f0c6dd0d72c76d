import { updatePet } from '../applications/pet-changes.ts'
import type { Db } from '../db/tables.ts'
import { categoryNames, withAge } from '../pets/age.ts'
import { MEMBERS } from '../pets/fields.ts'
import { changesOf } from '../pets/history.ts'
import { checkProfile, merge } from '../pets/profile.ts'
import type { NewPet, Pet } from '../pets/schema.ts'
import { Refused } from './animal.ts'
import { patchOf } from './patch-of.ts'
import type { Judged, Plan } from './plan.ts'
import { findKnown, type Known } from './store.ts'

// What becomes of an animal that came before.

/** Those that came before, by what tells them apart. */
export async function knownAnimals(db: Db, animals: Judged[], plan: Plan) {
  const ofSameFile = new Map<string, Known>()
  /** Of others, by their organizations too. */
  const others = new Map<string, Known>()
  const keyOf = (organizationId: unknown, sourceId: string): string => `${organizationId} ${sourceId}`
  function add(known: Known): void {
    const { sourceId, pet, isOfSameFile } = known
    if (isOfSameFile) ofSameFile.set(sourceId, known)
    else others.set(keyOf(pet.organizationId, sourceId), known)
  }
  for (const known of await findKnown(db, plan, animals)) add(known)
  return {
    add,
    find({ sourceId, pet: { organizationId } }: Judged): Known | undefined {
      if (sourceId === undefined) return undefined
      const known = ofSameFile.get(sourceId)
      return known || organizationId === undefined ? known : others.get(keyOf(organizationId, sourceId))
    },
  }
}

/** Of an animal that went to another organization neither the id nor the status is told. @throws {Refused} */
export function requireHere({ pet }: Known, { fileOf }: Plan): void {
  if (fileOf !== undefined && pet.organizationId !== fileOf)
    throw new Refused({
      code: 'moved_away',
      message: 'It was imported before, and belongs to another organization now, or to none.',
    })
}

/** @throws {Refused} @throws {ApiError} as `updatePet` */
export async function meetAgain(
  db: Db,
  before: Known,
  { pet: read, unlisted, point }: Judged,
  takenBack: string[],
  { update, keyId, organizationId, now }: Plan,
): Promise<'updated' | 'unchanged'> {
  const { id, status } = before.pet
  const pet = patchOf(before.pet, read, { point, takenBack })
  if (!update) {
    const message = `It was imported before, as animal ${id}; --update changes such animals.`
    throw new Refused({ code: 'known_before', value: String(id), message })
  }
  if (unlisted && status !== undefined) {
    const message = `It is not for adoption there, and here animal ${id} is ${status}: decide by hand.`
    throw new Refused({ code: 'not_for_adoption', value: String(id), message })
  }
  // What a file does not name stays: an export of another program has not all that is known here.
  const sound = merge(before.pet, pet)
  checkProfile(sound, pet, now)
  const { pet: after } = await withAge(categoryNames(db), sound, now)
  if (Object.keys(changesOf(before.pet, after)).length === 0) return 'unchanged'
  // An animal that a dry run would have added has no id.
  if (id > 0) await updatePet(db, pet, { id, by: { keyId: Number(keyId), organizationId }, now })
  before.pet = { id, ...shown(after) }
  return 'updated'
}

/** As the service shows what was sent. */
export function shown(pet: NewPet): Omit<Pet, 'id'> {
  const named = MEMBERS.filter((member) => pet[member] !== undefined)
  return Object.fromEntries(named.map((member) => [member, pet[member]])) as never
}
