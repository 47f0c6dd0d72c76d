import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { actorOf, type Caller } from '../http/caller.ts'
import type { Conditions } from '../http/conditional.ts'
import type { OnceKey } from '../http/idempotency.ts'
import { bodyJudge } from '../http/judge-body.ts'
import { coordinatesAfter, coordinatesOf } from '../places/derive.ts'
import { withOtherProblems } from './problems.ts'
import { NewPet, PetPatch } from './schema.ts'
import type { StoredRow } from './store.ts'
import * as pets from './store.ts'

// The changes of animals that requests ask for, by the contract and by the forms of people alike.

type Needed = Pick<Context, 'db' | 'writeOnce' | 'clock'>

/** The caller of a change, and the key under which the change is made once. */
interface Requester {
  caller: Caller
  key: OnceKey | undefined
}

/** @throws {ApiError} as `insertPet` and `insertBondedPet` */
export async function add(
  { writeOnce, clock }: Needed,
  { caller, key }: Requester,
  sent: NewPet,
): Promise<StoredRow> {
  const pet = await located(sent)
  const change = pet.bondedWith ? changes.insertBondedPet : changes.insertPet
  return writeOnce(key, change, pet, actorOf(caller), clock())
}

/** @throws {ApiError} as `updatePet` */
export async function change(
  { db, writeOnce, clock }: Needed,
  { caller, key }: Requester,
  sent: PetPatch,
  { id, conditions }: { id: number; conditions: Conditions },
): Promise<StoredRow> {
  const patch = await relocated(db, id, sent)
  const intent = { id, by: actorOf(caller), now: clock(), conditions }
  return writeOnce(key, changes.updatePet, patch, intent)
}

const judgeNew = bodyJudge(NewPet)
const judgePatch = bodyJudge(PetPatch)

/** What the body of a new animal says, judged as a route judges it. @throws {ApiError} validation_failed */
export async function readNew({ db, clock }: Needed, body: unknown): Promise<NewPet> {
  const { value, error } = judgeNew(body)
  if (error) throw await withOtherProblems(db, error, body, clock())
  return value
}

/** The same of a change. @throws {ApiError} validation_failed */
export async function readPatch({ db }: Needed, body: unknown): Promise<PetPatch> {
  const { value, error } = judgePatch(body)
  if (error) throw await withOtherProblems(db, error, body)
  return value
}

/** The animal with the coordinates of its postcode or city, where nobody gave better ones. */
async function located(pet: NewPet): Promise<NewPet> {
  const point = await coordinatesOf(pet.place)
  return point ? { ...pet, place: { ...pet.place, ...point } } : pet
}

/** The patch with the coordinates that it brings along. Before the change, which waits for no list. */
async function relocated(db: Db, id: number, patch: PetPatch): Promise<PetPatch> {
  const { place } = patch
  if (!place) return patch
  const point = await coordinatesAfter((await pets.find(db, id))?.pet.place ?? {}, place)
  if (point === undefined) return patch
  return { ...patch, place: { ...place, ...(point ?? { latitude: null, longitude: null }) } }
}
