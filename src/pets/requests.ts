import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { actorOf, type Caller } from '../http/caller.ts'
import type { Conditions } from '../http/conditional.ts'
import type { IdempotencyKey } from '../http/idempotency.ts'
import { createBodyValidator } from '../http/validate.ts'
import { findCoordinates, findPatchedCoordinates } from '../places/gazetteer.ts'
import type { StoredRow } from './row.ts'
import { withOtherProblems } from './rules.ts'
import { NewPet, PetPatch } from './schema.ts'
import * as pets from './store.ts'

// Changes animals for requests, which come from the API and from the forms of the console.

type Dependencies = Pick<Context, 'db' | 'writeOnce' | 'clock'>

/** The caller of a change. If the request has an Idempotency-Key, also the key. */
interface Requester {
  caller: Caller
  key: IdempotencyKey | undefined
}

/** @throws {ApiError} as `insertPet` and `insertBondedPet` */
export async function add(
  { writeOnce, clock }: Dependencies,
  { caller, key }: Requester,
  sent: NewPet,
): Promise<StoredRow> {
  const pet = await withCoordinates(sent)
  const change = pet.bondedWith ? changes.insertBondedPet : changes.insertPet
  return writeOnce(key, change, pet, actorOf(caller), clock())
}

/** @throws {ApiError} as `updatePet` */
export async function change(
  { db, writeOnce, clock }: Dependencies,
  { caller, key }: Requester,
  sent: PetPatch,
  { id, conditions }: { id: number; conditions: Conditions },
): Promise<StoredRow> {
  const patch = await patchWithCoordinates(db, id, sent)
  const intent = { id, by: actorOf(caller), now: clock(), conditions }
  return writeOnce(key, changes.updatePet, patch, intent)
}

const validateNew = createBodyValidator(NewPet)
const validatePatch = createBodyValidator(PetPatch)

/** Validates the body of a new animal as the API does. @throws {ApiError} validation_failed */
export async function readNew({ db, clock }: Dependencies, body: unknown): Promise<NewPet> {
  const { value, error } = validateNew(body)
  if (error) throw await withOtherProblems(db, error, body, clock())
  return value
}

/** Validates the body of a patch as the API does. @throws {ApiError} validation_failed */
export async function readPatch({ db }: Dependencies, body: unknown): Promise<PetPatch> {
  const { value, error } = validatePatch(body)
  if (error) throw await withOtherProblems(db, error, body)
  return value
}

/** Adds coordinates found by postcode or city, unless the animal has coordinates. */
async function withCoordinates(pet: NewPet): Promise<NewPet> {
  const point = await findCoordinates(pet.place)
  return point ? { ...pet, place: { ...pet.place, ...point } } : pet
}

/** Adds the coordinates of a new place before the transaction, which must not wait for a file. */
async function patchWithCoordinates(db: Db, id: number, patch: PetPatch): Promise<PetPatch> {
  const { place } = patch
  if (!place) return patch
  const point = await findPatchedCoordinates((await pets.find(db, id))?.pet.place ?? {}, place)
  if (point === undefined) return patch
  return { ...patch, place: { ...place, ...(point ?? { latitude: null, longitude: null }) } }
}
