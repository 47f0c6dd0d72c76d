import { type Selectable, sql } from 'kysely'
import type { Db, Tables } from '../db/tables.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../db/violation.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { mergeMembers } from '../http/merge-patch.ts'
import { toPhotos } from '../photos/storage/kept.ts'
import { problemsOfQuestions, soundQuestions } from './questions.ts'
import {
  type Details,
  type NewOrganization,
  type Organization,
  type OrganizationPatch,
  PATCHED,
} from './schema.ts'

export const ORGANIZATION_COLUMNS = ['id', 'code', 'profile', 'photos', 'created_at', 'updated_at'] as const
export type Row = Pick<Selectable<Tables['organization']>, (typeof ORGANIZATION_COLUMNS)[number]>

/** With its photos as the row has them. */
export type Stored = Omit<Organization, 'photos'> & { photos: string | null }

export function toShown<Shown extends Stored>(stored: Shown, photosAt: string) {
  return { ...stored, photos: toPhotos(stored.photos, photosAt) }
}

export function toOrganization({ id, code, profile, photos, created_at, updated_at }: Row): Stored {
  return {
    id,
    code,
    ...JSON.parse(profile),
    photos,
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
  }
}

function findRow(db: Db, id: number): Promise<Row | undefined> {
  const one = db.selectFrom('organization').where('id', '=', id)
  return one.select(ORGANIZATION_COLUMNS).executeTakeFirst()
}

export async function find(db: Db, id: number): Promise<Stored | undefined> {
  const row = await findRow(db, id)
  return row && toOrganization(row)
}

/** @returns those that are there, in no order */
export async function findMany(db: Db, ids: number[]): Promise<Stored[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('organization')
    .select(ORGANIZATION_COLUMNS)
    .where('id', 'in', ids)
    .execute()
  return rows.map(toOrganization)
}

/** @throws {ApiError} organization_not_found */
export async function get(db: Db, id: number): Promise<Stored> {
  const organization = await find(db, id)
  if (!organization) throw new ApiError('organization_not_found')
  return organization
}

/** The ids of those with some codes, whatever the case of their letters. */
export async function idsOfCodes(db: Db, codes: string[]): Promise<number[]> {
  if (codes.length === 0) return []
  const found = db.selectFrom('organization').select('id').where('folded_code', 'in', codes.map(fold))
  return (await found.execute()).map(({ id }) => id)
}

export const idOfCode = async (db: Db, code: string): Promise<number | undefined> =>
  (await idsOfCodes(db, [code]))[0]

/** All of them, as commands read them. */
export async function codes(db: Db): Promise<Map<number, string>> {
  const rows = await db.selectFrom('organization').select(['id', 'code']).execute()
  return new Map(rows.map(({ id, code }) => [id, code]))
}

/** @throws {ApiError} organization_exists, validation_failed */
export async function insertOrganization(
  db: Db,
  organization: NewOrganization,
  now: number,
): Promise<Stored> {
  const { code, ...sent } = organization
  const details = soundDetails({}, sent)
  if (code !== undefined && (await idOfCode(db, code)) !== undefined)
    throw new ApiError('organization_exists')
  const own = code ?? (await freeCode(db, details))
  const insert = db
    .insertInto('organization')
    .values({ code: own, folded_code: fold(own), ...columnsOf(details), created_at: now, updated_at: now })
  return toOrganization(await withFreeCode(insert.returning(ORGANIZATION_COLUMNS).executeTakeFirstOrThrow()))
}

/** @throws {ApiError} organization_not_found, validation_failed */
export async function updateOrganization(
  db: Db,
  id: number,
  patch: OrganizationPatch,
  now: number,
): Promise<Stored> {
  const found = await findRow(db, id)
  if (!found) throw new ApiError('organization_not_found')
  const before = JSON.parse(found.profile)
  const details = soundDetails(before, patch)
  const columns = columnsOf(details)
  if (columns.profile === JSON.stringify(before)) return toOrganization(found)
  const row = await db
    .updateTable('organization')
    .set({ ...columns, updated_at: now })
    .where('id', '=', id)
    .where('profile', '=', found.profile)
    .returning(ORGANIZATION_COLUMNS)
    .executeTakeFirst()
  // Somebody was faster, where a store lets two transactions read at once: judged again, on what is there.
  return row ? toOrganization(row) : updateOrganization(db, id, patch, now)
}

/** @returns false when its photos are no longer as they were `before` */
export async function setPhotos(
  db: Db,
  before: Stored,
  photos: string | null,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('organization')
    .set({ photos, updated_at: now })
    .where('id', '=', before.id)
    .where('photos', before.photos === null ? 'is' : '=', before.photos)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** @throws {ApiError} organization_not_found, organization_in_use */
export async function deleteOrganization(db: Db, id: number): Promise<void> {
  try {
    const { numDeletedRows } = await db.deleteFrom('organization').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw new ApiError('organization_not_found')
  } catch (error) {
    throw isForeignKeyViolation(error) ? new ApiError('organization_in_use') : error
  }
}

const MILLION = 1_000_000

function columnsOf(details: Details) {
  const { name, address, latitude, longitude } = details
  return {
    name,
    folded_name: fold(name),
    country: address?.country ?? null,
    region: address?.region === undefined ? null : fold(address.region),
    latitude: latitude === undefined ? null : Math.round(latitude * MILLION),
    longitude: longitude === undefined ? null : Math.round(longitude * MILLION),
    profile: JSON.stringify(details),
  }
}

/** @throws {ApiError} validation_failed, for what no schema can say */
function soundDetails(before: object, patch: object): Details {
  const merged = mergeMembers(PATCHED, before, patch) as Details
  const { applicationQuestions, ...others } = merged
  const questions = soundQuestions(applicationQuestions)
  const details = [...problemsOfQuestions(questions), ...problemsOfPlace(others)]
  if (details.length > 0) throw new ApiError('validation_failed', { details })
  return { ...others, ...(questions && { applicationQuestions: questions }) }
}

function problemsOfPlace({ latitude, longitude }: Omit<Details, 'applicationQuestions'>): ErrorDetail[] {
  if ((latitude === undefined) === (longitude === undefined)) return []
  const pointer = latitude === undefined ? '/latitude' : '/longitude'
  return [{ pointer, code: 'missing', message: 'This is required.' }]
}

/** Of its region, where that is as short as a code has it, or else its country, and a number: CO12. */
async function freeCode(db: Db, { address }: Details): Promise<string> {
  const { region = '', country = 'ORG' } = address ?? {}
  const letters = /^[A-Za-z]{2,3}$/.test(region) ? region.toUpperCase() : country
  const ids = db.selectFrom('organization').select(sql<number>`coalesce(max(id), 0)`.as('last'))
  for (let number = (await ids.executeTakeFirstOrThrow()).last + 1; ; number += 1) {
    if ((await idOfCode(db, `${letters}${number}`)) === undefined) return `${letters}${number}`
  }
}

async function withFreeCode<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    throw isUniqueViolation(error) ? new ApiError('organization_exists') : error
  }
}

/** What a person would take for the same is the same. PostgreSQL refuses NUL: U+FFFD stands for it. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim().replaceAll('\0', '\ufffd')
}
