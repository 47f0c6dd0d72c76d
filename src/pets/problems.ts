import { sql } from 'kysely'
import * as categories from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import * as organizations from '../organizations/store.ts'
import { categoryNames, withAge } from './age.ts'
import { merge, problemsOf } from './profile.ts'
import type { NewPet, PetPatch } from './schema.ts'

// What is wrong with an animal, all at once, where only the store can know.

type Named = Partial<Pick<NewPet, 'categoryId' | 'organizationId'>>

/**
 * Its category is looked up only beside other problems: alone it is refused when it is written.
 *
 * @param sent what the client named of it
 * @throws {ApiError} validation_failed
 */
export async function requireSound(db: Db, pet: NewPet, sent: PetPatch, now: number): Promise<void> {
  const problems = problemsOf(pet, await withoutDerivedAge(db, pet, sent, now), now)
  if (problems.length === 0 && (await unknownOrganizationOf(db, pet)).length === 0) return
  throw new ApiError('validation_failed', { details: [...problems, ...(await unknownsOf(db, pet))] })
}

/**
 * The problems that a schema found with a body, and those of the other members beside them.
 *
 * @param now of a new animal; a change is judged with what is there before
 */
export async function withOtherProblems(
  db: Db,
  found: ApiError,
  body: unknown,
  now?: number,
): Promise<ApiError> {
  const { details = [], code } = found
  const wrong = new Set(details.map(({ pointer = '' }) => pointer.split('/')[1]))
  const isWhole = details.some(({ pointer }) => pointer === '')
  if (isWhole || typeof body !== 'object' || body === null) return found
  const sound = Object.fromEntries(Object.entries(body).filter(([name]) => !wrong.has(name))) as NewPet
  const others = now === undefined ? [] : await problemsOfNew(db, sound, now)
  return new ApiError(code, { details: [...details, ...others, ...(await unknownsOf(db, sound))] })
}

async function problemsOfNew(db: Db, sent: NewPet, now: number): Promise<ErrorDetail[]> {
  const pet = merge({}, sent)
  return problemsOf(pet, await withoutDerivedAge(db, pet, sent, now), now)
}

/** An animal that is sent as it was answered has the age that follows from its birth date. */
async function withoutDerivedAge(db: Db, pet: NewPet, sent: PetPatch, now: number): Promise<PetPatch> {
  const { age, ...others } = sent
  if (typeof age !== 'string' || pet.birthDate === undefined || pet.categoryId === undefined) return sent
  const derived = await withAge(categoryNames(db), pet, now)
  return derived.pet.age === age ? others : sent
}

async function unknownsOf(db: Db, named: Named): Promise<ErrorDetail[]> {
  const { categoryId } = named
  const isKnown = categoryId === undefined || (await categories.find(db, categoryId))
  const unknown = isKnown ? [] : (categories.unknownCategory().details ?? [])
  return [...unknown, ...(await unknownOrganizationOf(db, named))]
}

async function unknownOrganizationOf(db: Db, { organizationId: id }: Named): Promise<ErrorDetail[]> {
  if (typeof id !== 'number') return []
  return (await organizations.find(db, id)) ? [] : [UNKNOWN_ORGANIZATION]
}

export const UNKNOWN_ORGANIZATION: ErrorDetail = {
  pointer: '/organizationId',
  code: 'unknown_organization',
  message:
    'No organization has this id. GET /organizations lists them; POST /organizations adds one, with an admin key.',
}

type Numbered = Pick<NewPet, 'externalId' | 'organizationId'>

/** What is unique of an animal with an externalId; undefined of one without. */
export function ownNumber({ externalId, organizationId = 0 }: Numbered): string | undefined {
  return externalId === undefined ? undefined : `${organizationId} ${externalId}`
}

/**
 * Before an animal is written: PostgreSQL would use an id up for one that it then refuses.
 *
 * @throws {ApiError} external_id_exists
 */
export async function requireFreeNumber(db: Db, pet: Numbered, own?: number): Promise<void> {
  const number = ownNumber(pet)
  if (number === undefined) return
  const holder = (await takenNumbers(db, [pet])).get(number)
  if (holder !== undefined && holder !== own) throw new ApiError('external_id_exists')
}

/** Those of the animals' own numbers that animals in the store have, with their ids. */
export async function takenNumbers(db: Db, animals: Numbered[]): Promise<Map<string, number>> {
  const wanted = animals.filter(({ externalId }) => externalId !== undefined)
  const organizations = Map.groupBy(wanted, ({ organizationId = 0 }) => organizationId)
  const taken = new Map<string, number>()
  for (const [organizationId, own] of organizations) {
    const rows = await db
      .selectFrom('pet')
      .select(['id', 'external_id as externalId'])
      .where(sql<number>`coalesce(organization_id, 0)`, '=', organizationId)
      .where('external_id', 'in', [...new Set(own.map(({ externalId }) => externalId as string))])
      .execute()
    for (const { id, externalId } of rows) taken.set(`${organizationId} ${externalId}`, id)
  }
  return taken
}
