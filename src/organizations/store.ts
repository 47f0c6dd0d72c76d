import { type Selectable, sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../db/engine-errors.ts'
import type { Db, Tables } from '../db/tables.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { recordEvents } from '../events/log.ts'
import { photoChanges } from '../events/photos.ts'
import type { EventData, EventType } from '../events/schema.ts'
import { mergeMembers } from '../http/type.ts'
import { parsePhotos, toPhotos } from '../photos/storage/stored-photo.ts'
import {
  cleanQuestions,
  findQuestionProblems,
  type NewOrganization,
  type Organization,
  type OrganizationDetails,
  type OrganizationPatch,
  PATCHABLE,
} from './schema.ts'

export const ORGANIZATION_COLUMNS = [
  ...(['id', 'code', 'profile', 'photos', 'source', 'created_at', 'updated_at'] as const),
] as const
export type Row = Pick<Selectable<Tables['organization']>, (typeof ORGANIZATION_COLUMNS)[number]>

/** An organization with the `photos` column of its row. */
export type StoredOrganization = Omit<Organization, 'photos'> & { photos: string | null }

export function toView<Stored extends StoredOrganization>(stored: Stored, photosBase: string) {
  return { ...stored, photos: toPhotos(stored.photos, photosBase) }
}

export function toOrganization({
  id,
  code,
  profile,
  photos,
  source,
  created_at,
  updated_at,
}: Row): StoredOrganization {
  return {
    id,
    code,
    ...JSON.parse(profile),
    photos,
    ...(source !== null && { source }),
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
  }
}

const selectById = (db: Db, id: number) =>
  db.selectFrom('organization').where('id', '=', id).select(ORGANIZATION_COLUMNS)

export async function find(db: Db, id: number): Promise<StoredOrganization | undefined> {
  const row = await selectById(db, id).executeTakeFirst()
  return row && toOrganization(row)
}

/** Finds organizations by id. Unknown ids are skipped. The order is undefined. */
export async function findMany(db: Db, ids: number[]): Promise<StoredOrganization[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('organization')
    .select(ORGANIZATION_COLUMNS)
    .where('id', 'in', ids)
    .execute()
  return rows.map(toOrganization)
}

/** @throws {ApiError} organization_not_found */
export async function get(db: Db, id: number): Promise<StoredOrganization> {
  const organization = await find(db, id)
  if (!organization) throw new ApiError('organization_not_found')
  return organization
}

/** Finds the ids of organizations by their codes. Ignores case, and skips unknown codes. */
export async function findIdsByCodes(db: Db, codes: string[]): Promise<number[]> {
  if (codes.length === 0) return []
  const found = db.selectFrom('organization').select('id').where('folded_code', 'in', codes.map(fold))
  return (await found.execute()).map(({ id }) => id)
}

export const findIdByCode = async (db: Db, code: string): Promise<number | undefined> =>
  (await findIdsByCodes(db, [code]))[0]

/** Lists the copies of organizations of other installations, with the pages of the originals, by id. */
export async function listCopies(db: Db): Promise<Map<number, string>> {
  const copies = db.selectFrom('organization').select(['id', 'source']).where('source', 'is not', null)
  return new Map((await copies.execute()).map(({ id, source }) => [id, String(source)]))
}

/** Lists the codes of all organizations, sorted by id. */
export async function listCodes(db: Db): Promise<Map<number, string>> {
  const rows = await db.selectFrom('organization').select(['id', 'code']).execute()
  return new Map(rows.map(({ id, code }) => [id, code]))
}

/**
 * Refuses to change a copy of an organization of another installation, or its animals.
 * @throws {ApiError} followed_organization
 */
export function requireNoCopy({ source }: { source?: string | null | undefined }): void {
  if (!source) return
  const message = `This organization is a copy from ${new URL(source).host}. Change it there: ${source}`
  throw new ApiError('followed_organization', { message })
}

/**
 * @param source the page of an organization of another installation, of which this one is a copy
 * @throws {ApiError} organization_exists, validation_failed
 */
export async function insertOrganization(
  db: Db,
  organization: NewOrganization,
  now: number,
  source: string | null = null,
): Promise<StoredOrganization> {
  const { code, ...sent } = organization
  const details = mergeDetails({}, sent)
  if (code !== undefined && (await findIdByCode(db, code)) !== undefined)
    throw new ApiError('organization_exists')
  const own = code ?? (await freeCode(db, details))
  const insert = db.insertInto('organization').values({
    ...{ code: own, folded_code: fold(own), ...columnsOf(details), source },
    ...{ created_at: now, updated_at: now },
  })
  const row = await withFreeCode(insert.returning(ORGANIZATION_COLUMNS).executeTakeFirstOrThrow())
  await recordEvent(db, 'organization.created', { organizationId: row.id }, now)
  return toOrganization(row)
}

async function recordEvent(
  db: Db,
  type: EventType,
  data: EventData & { organizationId: number },
  now: number,
): Promise<void> {
  await recordEvents(db, [{ type, audience: 'public', organizationId: data.organizationId, data }], now)
}

/** @throws {ApiError} organization_not_found, followed_organization, validation_failed */
export async function updateOrganization(
  db: Db,
  id: number,
  patch: OrganizationPatch,
  now: number,
): Promise<StoredOrganization> {
  const found = await findLocked(db, id)
  if (!found) throw new ApiError('organization_not_found')
  requireNoCopy(found)
  return toOrganization(await writeDetails(db, found, mergeDetails(JSON.parse(found.profile), patch), now))
}

/** Finds an organization, and locks it until the end of the transaction. */
function findLocked(db: Db, id: number): Promise<Row | undefined> {
  return dialectOf(db).lockRows(selectById(db, id), 'wait').executeTakeFirst()
}

/** @param found the locked organization */
async function writeDetails(db: Db, found: Row, details: OrganizationDetails, now: number): Promise<Row> {
  const columns = columnsOf(details)
  if (columns.profile === found.profile) return found
  const row = await db
    .updateTable('organization')
    .set({ ...columns, updated_at: now })
    .where('id', '=', found.id)
    .returning(ORGANIZATION_COLUMNS)
    .executeTakeFirstOrThrow()
  await recordEvent(db, 'organization.updated', { organizationId: found.id }, now)
  return row
}

/** Finds and locks the copy of an organization of another installation by the page of the original. */
export async function findCopyLocked(db: Db, source: string): Promise<StoredOrganization | undefined> {
  const copies = db.selectFrom('organization').select(ORGANIZATION_COLUMNS).where('source', '=', source)
  const row = await dialectOf(db).lockRows(copies, 'wait').executeTakeFirst()
  return row && toOrganization(row)
}

/** Gives a copy the details of the original. */
export async function updateCopy(
  db: Db,
  id: number,
  details: OrganizationDetails,
  now: number,
): Promise<void> {
  const found = await findLocked(db, id)
  if (found) await writeDetails(db, found, mergeDetails({}, details), now)
}

/** Turns the copy of an organization that is no longer followed into an organization of this installation. */
export async function releaseCopy(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('organization').set({ source: null, updated_at: now }).where('id', '=', id).execute()
  await recordEvent(db, 'organization.updated', { organizationId: id }, now)
}

/** Sets the photos of a locked organization. */
export async function setPhotos(
  db: Db,
  before: StoredOrganization,
  photos: string | null,
  now: number,
): Promise<void> {
  await db.updateTable('organization').set({ photos, updated_at: now }).where('id', '=', before.id).execute()
  const { id: organizationId } = before
  for (const { type, ...photo } of photoChanges(
    'organization',
    parsePhotos(before.photos),
    parsePhotos(photos),
  ))
    await recordEvent(db, type, { organizationId, ...photo }, now)
}

/** @throws {ApiError} organization_not_found, organization_in_use */
export async function deleteOrganization(db: Db, id: number, now: number): Promise<void> {
  try {
    const { numDeletedRows } = await db.deleteFrom('organization').where('id', '=', id).executeTakeFirst()
    if (numDeletedRows === 0n) throw new ApiError('organization_not_found')
  } catch (error) {
    throw isForeignKeyViolation(error) ? new ApiError('organization_in_use') : error
  }
  await recordEvent(db, 'organization.deleted', { organizationId: id }, now)
}

const MILLION = 1_000_000

function columnsOf(details: OrganizationDetails) {
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

/** Merges a patch and checks the rules that a schema cannot express. @throws {ApiError} validation_failed */
function mergeDetails(before: object, patch: object): OrganizationDetails {
  const merged = mergeMembers(PATCHABLE, before, patch) as OrganizationDetails
  const { applicationQuestions, ...others } = merged
  const questions = cleanQuestions(applicationQuestions)
  const details = [...findQuestionProblems(questions), ...findPlaceProblems(others)]
  if (details.length > 0) throw new ApiError('validation_failed', { details })
  return { ...others, ...(questions && { applicationQuestions: questions }) }
}

function findPlaceProblems({
  latitude,
  longitude,
}: Omit<OrganizationDetails, 'applicationQuestions'>): ErrorDetail[] {
  if ((latitude === undefined) === (longitude === undefined)) return []
  const pointer = latitude === undefined ? '/latitude' : '/longitude'
  return [{ pointer, code: 'missing', message: 'This is required.' }]
}

/**
 * @returns a new code: the region, if it has 2 or 3 letters, or else the country, followed by a free number,
 * such as CO12
 */
async function freeCode(db: Db, { address }: OrganizationDetails): Promise<string> {
  const { region = '', country = 'ORG' } = address ?? {}
  const letters = /^[A-Za-z]{2,3}$/.test(region) ? region.toUpperCase() : country
  const ids = db.selectFrom('organization').select(sql<number>`coalesce(max(id), 0)`.as('last'))
  for (let number = (await ids.executeTakeFirstOrThrow()).last + 1; ; number += 1) {
    if ((await findIdByCode(db, `${letters}${number}`)) === undefined) return `${letters}${number}`
  }
}

async function withFreeCode<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    throw isUniqueViolation(error) ? new ApiError('organization_exists') : error
  }
}

/** Folds a text for comparison. Replaces NUL with U+FFFD, because PostgreSQL rejects NUL. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim().replaceAll('\0', '\ufffd')
}
