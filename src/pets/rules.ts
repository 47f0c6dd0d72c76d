import { sql } from 'kysely'
import * as categories from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import { ApiError, type ErrorDetail, invalidValue } from '../errors.ts'
import { mergeMembers } from '../http/type.ts'
import * as organizations from '../organizations/store.ts'
import { AGES, type Age, FIELDS, MEMBERS, publicOf, SCHEMAS } from './fields.ts'
import type { AgedPet } from './row.ts'
import type { NewPet, PetPatch } from './schema.ts'

// Checks rules that a schema cannot express: between members, and depending on the data in the store.

type Json = Record<string, unknown>

/** Applies a patch to an animal (RFC 7396). The members of the result are in the order of responses. */
export function merge(before: Partial<NewPet>, patch: PetPatch): NewPet {
  const moved = isMoving(before, patch) ? publicMembers(before) : before
  const after = mergeMembers(SCHEMAS, moved, withoutContradiction(before, patch))
  if (patch.birthDate !== null || before.birthDate === undefined) return after as never
  // The patch removes the birth date, and both of these depend on the birth date.
  if (patch.birthDateExact === undefined) delete after.birthDateExact
  if (patch.age === undefined) delete after.age
  return after as never
}

/** Statuses of animals in the public lists. */
export const LISTED_STATUSES = ['available', 'pending'] as const

export const isListed = (pet: { status?: string | undefined } | undefined): boolean =>
  LISTED_STATUSES.some((status) => status === pet?.status)

/** The members of an animal that staff keep off the public pages. */
const KEPT_BACK_MEMBERS = ['holdReason', 'outcomeKind', 'outcomeDate', 'outcomeNote'] as const

/** Whether staff have recorded that an animal is on hold or has left. */
export const isKeptBack = ({ staff }: Partial<NewPet>): boolean =>
  staff?.holdReason !== undefined || staff?.outcomeKind !== undefined

/** An animal with a status is not on hold and has no outcome. A patch that sets one removes the other. */
function withoutContradiction(before: Partial<NewPet>, patch: PetPatch): PetPatch {
  const { holdReason, outcomeKind } = patch.staff ?? {}
  const isHeld = holdReason && before.status !== 'sold'
  if ((isHeld || outcomeKind) && patch.status === undefined) return { ...patch, ...HIDDEN }
  const isNewStatus = patch.status !== undefined && (patch.status ?? undefined) !== before.status
  if (!isNewStatus || !before.staff || patch.staff === null) return patch
  const removed = Object.fromEntries(KEPT_BACK_MEMBERS.map((name) => [name, null]))
  return { ...patch, staff: { ...removed, ...patch.staff } }
}

/**
 * Removes the status of an animal, so it is no longer published. The API does not offer this change alone,
 * because a status is a permanent member of the original contract.
 */
export const HIDDEN = { status: null } as unknown as PetPatch

/** Whether a patch moves an animal to another organization, which gets only its public members. */
function isMoving({ organizationId: from }: Partial<NewPet>, { organizationId: to }: PetPatch): boolean {
  return from !== undefined && to !== undefined && to !== from
}

const publicMembers = (pet: Partial<NewPet>): Partial<NewPet> =>
  Object.fromEntries(MEMBERS.map((member) => [member, publicOf(member, pet[member])]))

/** Checks rules between members. @param sent those in the request @throws {ApiError} validation_failed */
export function checkProfile(pet: NewPet, sent: PetPatch, now: number): void {
  const details = problemsOf(pet, sent, now)
  if (details.length > 0) throw new ApiError('validation_failed', { details })
}

export function problemsOf(pet: NewPet, sent: PetPatch, now: number): ErrorDetail[] {
  const { birthDate, birthDateExact, tags, bondedWith, place, staff } = pet
  const { latitude, longitude } = place ?? {}
  const today = latestDate(now)
  const problems: (ErrorDetail | false | undefined)[] = [
    ...missingIn(pet),
    birthDate !== undefined && notBetween('/birthDate', birthDate, today),
    staff?.intakeDate !== undefined &&
      notBetween(
        '/staff/intakeDate',
        staff.intakeDate,
        latestDate(now + MAX_PLANNED_MS),
        'a year from today',
      ),
    ...outcomeProblemsOf(pet, today),
    ...(staff?.datedNotes ?? []).map(({ date }, index) =>
      notBetween(`/staff/datedNotes/${index}/date`, date, today),
    ),
    birthDate === undefined &&
      birthDateExact !== undefined &&
      invalidValue('/birthDateExact', 'This requires a birthDate. Send one, or leave this out.'),
    birthDate !== undefined &&
      typeof sent.age === 'string' &&
      invalidValue('/age', 'This contradicts the birthDate. Leave it out, or remove the birthDate.'),
    longitude === undefined && latitude !== undefined && missing('/place/longitude'),
    latitude === undefined && longitude !== undefined && missing('/place/latitude'),
    ...repeatedIn(tags ?? []),
    ...(bondedWith ?? []).flatMap((id, index) =>
      bondedWith?.indexOf(id) === index
        ? []
        : [invalidValue(`/bondedWith/${index}`, 'This id is repeated. Name each animal once.')],
    ),
  ]
  return problems.filter((problem) => problem !== false && problem !== undefined)
}

function outcomeProblemsOf(
  { status, bondedWith, staff = {} }: NewPet,
  today: string,
): (ErrorDetail | undefined)[] {
  const { outcomeKind, outcomeDate } = staff
  const isOver = outcomeKind !== undefined || status === 'sold'
  const unused = (['outcomeDate', 'outcomeNote'] as const).filter((name) => !isOver && staff[name])
  return [
    // Names the status, because an import leaves out the named member and must not publish the animal.
    status !== undefined && isKeptBack({ staff })
      ? invalidValue('/status', 'Leave this out. An animal on hold, or with an outcome, has no status.')
      : undefined,
    outcomeKind && bondedWith
      ? invalidValue('/bondedWith', 'Leave this out. An animal with an outcome has no bond.')
      : undefined,
    outcomeKind && !outcomeDate ? missing('/staff/outcomeDate') : undefined,
    ...unused.map((name) =>
      invalidValue(`/staff/${name}`, 'This requires an outcomeKind or the status sold.'),
    ),
    outcomeDate === undefined ? undefined : notBetween('/staff/outcomeDate', outcomeDate, today),
  ]
}

/** The required members of nested objects. */
const REQUIRED = MEMBERS.flatMap((member) => {
  const { required = [] } = FIELDS[member].schema as { required?: string[] }
  return required.map((name) => [member, name] as const)
})

/** Finds required members that are missing after a patch. */
function missingIn(pet: NewPet): ErrorDetail[] {
  const absent = REQUIRED.filter(([member, name]) => pet[member] && (pet[member] as Json)[name] === undefined)
  return absent.map(([member, name]) => missing(`/${member}/${name}`))
}

const EARLIEST_DATE = '1950-01-01'

/** How far ahead an intake can be planned. */
const MAX_PLANNED_MS = 366 * 86_400_000

function notBetween(pointer: string, date: string, last: string, words = 'today'): ErrorDetail | undefined {
  if (date >= EARLIEST_DATE && date <= last) return undefined
  return { pointer, code: 'out_of_range', message: `This must be a date from ${EARLIEST_DATE} to ${words}.` }
}

function repeatedIn(tags: string[]): ErrorDetail[] {
  const folded = tags.map((tag) => tag.normalize('NFKC').toLowerCase().trim())
  return folded.flatMap((tag, index) =>
    folded.indexOf(tag) < index
      ? [invalidValue(`/tags/${index}`, 'This tag is repeated. Upper and lower case count as the same.')]
      : [],
  )
}

const missing = (pointer: string): ErrorDetail => ({ pointer, code: 'missing', message: 'This is required.' })

type PetReferences = Partial<Pick<NewPet, 'categoryId' | 'organizationId'>>

/**
 * Checks the members of an animal. Reports an unknown category only together with other problems. If it is
 * the only problem, the insert refuses it.
 * @param pet with its age, as `withAge` returns it
 * @param sent the members in the request
 * @throws {ApiError} validation_failed, followed_organization
 */
export async function validatePet(db: Db, pet: NewPet, sent: PetPatch, now: number): Promise<void> {
  const problems = problemsOf(pet, withoutDerivedAge(pet, sent), now)
  if (problems.length === 0 && (await unknownOrganizationOf(db, pet)).length === 0) return
  throw new ApiError('validation_failed', { details: [...problems, ...(await unknownsOf(db, pet))] })
}

/**
 * Adds errors from the rules, which check only members that match the schema, to errors from the schema.
 * @param now for a new animal; undefined for a patch, whose members depend on the stored animal
 */
export async function withOtherProblems(
  db: Db,
  found: ApiError,
  body: unknown,
  now?: number,
): Promise<ApiError> {
  const { details = [], code } = found
  const wrong = new Set(details.map(({ pointer = '' }) => pointer.split('/')[1]))
  const isNoObject = details.some(({ pointer }) => pointer === '')
  if (isNoObject || typeof body !== 'object' || body === null) return found
  const valid = Object.fromEntries(Object.entries(body).filter(([name]) => !wrong.has(name))) as NewPet
  const others = now === undefined ? [] : await problemsOfNew(db, valid, now)
  return new ApiError(code, { details: [...details, ...others, ...(await unknownsOf(db, valid))] })
}

async function problemsOfNew(db: Db, sent: NewPet, now: number): Promise<ErrorDetail[]> {
  const merged = merge({}, sent)
  // Without a category, no age can be derived.
  if (merged.categoryId === undefined) return problemsOf(merged, sent, now)
  const { pet } = await withAge(categoryNames(db), merged, now)
  return problemsOf(pet, withoutDerivedAge(pet, sent), now)
}

/**
 * Drops an age that equals the derived one, because a client may read an animal and send it back unchanged.
 */
function withoutDerivedAge({ birthDate, age: derived }: NewPet, sent: PetPatch): PetPatch {
  const { age, ...others } = sent
  return birthDate !== undefined && age === derived ? others : sent
}

async function unknownsOf(db: Db, named: PetReferences): Promise<ErrorDetail[]> {
  const { categoryId } = named
  const exists = categoryId === undefined || (await categories.find(db, categoryId))
  const unknown = exists ? [] : (categories.unknownCategoryError().details ?? [])
  return [...unknown, ...(await unknownOrganizationOf(db, named))]
}

/** @throws {ApiError} followed_organization */
async function unknownOrganizationOf(db: Db, { organizationId: id }: PetReferences): Promise<ErrorDetail[]> {
  if (typeof id !== 'number') return []
  const organization = await organizations.find(db, id)
  if (organization) organizations.requireNoCopy(organization)
  return organization ? [] : [UNKNOWN_ORGANIZATION]
}

export const UNKNOWN_ORGANIZATION: ErrorDetail = {
  pointer: '/organizationId',
  code: 'unknown_organization',
  message:
    'No organization has this id. GET /organizations lists them; POST /organizations adds one, with an admin key.',
}

type Numbered = Pick<NewPet, 'externalId' | 'organizationId'>

/** @returns a key that is unique among animals with an externalId; undefined without an externalId */
export function externalIdKey({ externalId, organizationId = 0 }: Numbered): string | undefined {
  return externalId === undefined ? undefined : `${organizationId} ${externalId}`
}

/**
 * Checks that no other animal has the externalId. A failed insert would use up an id in PostgreSQL.
 * @throws {ApiError} external_id_exists
 */
export async function requireFreeExternalId(db: Db, pet: Numbered, own?: number): Promise<void> {
  const number = externalIdKey(pet)
  if (number === undefined) return
  const holder = (await findTakenExternalIds(db, [pet])).get(number)
  if (holder !== undefined && holder !== own) throw new ApiError('external_id_exists')
}

/** Finds external ids that are already in use. @returns the ids of their animals, by externalIdKey */
export async function findTakenExternalIds(db: Db, animals: Numbered[]): Promise<Map<string, number>> {
  const withExternalId = animals.filter(({ externalId }) => externalId !== undefined)
  const organizations = Map.groupBy(withExternalId, ({ organizationId = 0 }) => organizationId)
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

/** The ages, in months, at which an animal becomes young, adult and senior. */
type Steps = readonly [young: number, adult: number, senior: number]

/** The age limits by the folded name of the category. All other categories use DOG_AND_CAT. */
const AGE_STEPS = new Map(
  Object.entries<Steps>({
    rabbit: [6, 12, 72],
    'small & furry': [3, 6, 36],
    horse: [12, 48, 240],
    bird: [6, 24, 180],
  }),
)
const DOG_AND_CAT: Steps = [12, 36, 96]

/** The largest offset of a time zone from UTC. */
const EARLIEST_ZONE_MS = 14 * 3_600_000

/** @returns today's date in the time zone that is furthest ahead */
export function latestDate(now: number): string {
  return new Date(now + EARLIEST_ZONE_MS).toISOString().slice(0, 10)
}

/**
 * @param birthDate RFC 3339, full-date
 * @param category the name of the category
 * @returns the age group, and when the next one begins (UTC), in Unix milliseconds; null for never
 */
export function ageAt(
  birthDate: string,
  category: string | undefined,
  now: number,
): { age: Age; dueAt: number | null } {
  const steps = AGE_STEPS.get(categories.fold(category ?? '')) ?? DOG_AND_CAT
  const begins = steps.map((months) => monthsAfter(birthDate, months))
  const passed = begins.filter((begin) => begin <= now).length
  return { age: AGES[passed] as Age, dueAt: begins[passed] ?? null }
}

/**
 * @returns the same day of a later month. If that month is too short, returns the first day of the month
 * after it
 */
function monthsAfter(date: string, months: number): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const next = Date.UTC(year, month + months, 1)
  return Math.min(Date.UTC(year, month - 1 + months, day), next)
}

export type NameOf = (categoryId: number) => Promise<string | undefined>

/** @returns a function that reads the name of each category once */
export function categoryNames(db: Db): NameOf {
  const cached = new Map<number, Promise<string | undefined>>()
  return (id) => {
    const name = cached.get(id) ?? categories.find(db, id).then((category) => category?.name)
    cached.set(id, name)
    return name
  }
}

export async function withAge(nameOf: NameOf, pet: NewPet, now: number): Promise<AgedPet> {
  if (pet.birthDate === undefined) return { pet, ageDueAt: null }
  const { age, dueAt } = ageAt(pet.birthDate, await nameOf(pet.categoryId), now)
  return { pet: { ...pet, age }, ageDueAt: dueAt }
}

/** The dates that determine how long an animal has been in care. Times are Unix milliseconds or ISO times. */
interface CareDates {
  intakeDate?: string | undefined
  createdAt?: number | string | null | undefined
  publishedAt?: number | string | null | undefined
}

/**
 * @returns the date from which days in care count: the intake date, or the first day on which the service
 * knew the animal
 */
export function careStart({ intakeDate, createdAt, publishedAt }: CareDates): string | undefined {
  if (intakeDate !== undefined) return intakeDate
  const times = [createdAt, publishedAt].flatMap((time) => (time ? [new Date(time).toISOString()] : []))
  return times.sort()[0]?.slice(0, 10)
}
