import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { isForeignKeyViolation } from '../db/violation.ts'
import { ApiError } from '../errors.ts'
import type { Validators } from '../http/conditional.ts'
import type { NewPet, Pet, PetPatch, PetQuery, PetStatus } from './schema.ts'

const PET_COLUMNS = ['id', 'name', 'category_id as categoryId', 'status'] as const

interface Row {
  id: number
  name: string
  categoryId: number | bigint
  status: string | null
}

/** Where a page begins, as its cursor says. */
export type Place = Omit<PetQuery, 'cursor'> & { after?: number | undefined }

/** In order after the place; one animal more than asked for tells that there is a next page. */
export async function list(db: Db, place: Place): Promise<Pet[]> {
  return (await page(db, place).execute()).map(toPet)
}

/** The query of `list`. */
export function page(db: Db, place: Place) {
  const { limit, status, categoryId, id, sort, after } = place
  const [direction, beyond] = sort === 'id' ? (['asc', '>'] as const) : (['desc', '<'] as const)
  let rows = db
    .selectFrom('pet')
    .select(PET_COLUMNS)
    .orderBy('id', direction)
    .limit(limit + 1)
  if (status) rows = rows.where('status', '=', status)
  if (categoryId !== undefined) rows = rows.where('category_id', '=', categoryId)
  if (id) rows = rows.where('id', 'in', id as never)
  if (after !== undefined) rows = rows.where('id', beyond, after)
  return rows
}

/** An animal with its validators. */
export interface StoredPet extends Validators {
  pet: Pet
}

const STORED_COLUMNS = [...PET_COLUMNS, 'version', 'updated_at as updatedAt'] as const

export async function find(db: Db, id: bigint): Promise<StoredPet | undefined> {
  const row = await db
    .selectFrom('pet')
    .select(STORED_COLUMNS)
    .where('id', '=', id as never)
    .executeTakeFirst()
  return row && toStored(row)
}

/** @throws {ApiError} validation_failed when there is no such category */
export async function insertPet(db: Db, newPet: NewPet, keyId: number, now: number): Promise<StoredPet> {
  const { name, categoryId, status } = newPet
  // Out of its category, so that an unknown one uses no id up, which a broken reference would in PostgreSQL.
  const insert = db
    .insertInto('pet')
    .columns(['name', 'category_id', 'status', 'created_at', 'created_by', 'updated_at'])
    .expression(({ selectFrom, val }) =>
      selectFrom('category')
        .select([
          val(name).as('name'),
          'category.id as category_id',
          val(status ?? null).as('status'),
          val(now).as('created_at'),
          val(keyId).as('created_by'),
          val(now).as('updated_at'),
        ])
        .where('category.id', '=', categoryId as never),
    )
    .returning(STORED_COLUMNS)
  const row = await withKnownCategory(insert.executeTakeFirst())
  if (!row) throw unknownCategory()
  return toStored(row)
}

/** @returns undefined when the animal is no longer as it was `before` */
export async function update(
  db: Db,
  before: StoredPet,
  { name, categoryId, status }: PetPatch,
  now: number,
): Promise<StoredPet | undefined> {
  const version = versionOf(before)
  const change = db
    .updateTable('pet')
    .set({ name, category_id: categoryId, status, updated_at: now, version: version + 1 })
    .where('id', '=', before.pet.id)
    .where('version', '=', version)
    .returning(STORED_COLUMNS)
  const row = await withKnownCategory(change.executeTakeFirst())
  return row && toStored(row)
}

/** Whether it was still as `before`, and is gone now. */
export async function remove(db: Db, before: StoredPet): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('pet')
    .where('id', '=', before.pet.id)
    .where('version', '=', versionOf(before))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** @returns undefined when there is no such animal, or it has another status than `from` */
export function move(db: Db, id: number | bigint, from: PetStatus, to: PetStatus, now: number) {
  return db
    .updateTable('pet')
    .set({ status: to, updated_at: now, version: sql`version + 1` })
    .where('id', '=', id as never)
    .where('status', '=', from)
    .returning('id')
    .executeTakeFirst()
}

/** While an order is open, it alone moves its animal. */
export async function hasOpenOrder(db: Db, id: bigint): Promise<boolean> {
  const open = db
    .selectFrom('adoption_order')
    .select('id')
    .where('pet_id', '=', id)
    .where('status', 'in', ['placed', 'approved'])
  return (await open.executeTakeFirst()) !== undefined
}

/** Names the category in the error of a change that breaks the reference to it. */
async function withKnownCategory<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    throw isForeignKeyViolation(error) ? unknownCategory() : error
  }
}

function versionOf({ etag }: StoredPet): number {
  return Number(/-(\d+)"$/.exec(etag)?.[1])
}

function toStored({ version, updatedAt, ...row }: Row & { version: number; updatedAt: number }): StoredPet {
  return { pet: toPet(row), etag: `"${row.id}-${version}"`, updatedAt }
}

/** An animal without a status has no such member. */
function toPet({ id, name, categoryId, status }: Row): Pet {
  const pet = { id, name, categoryId: Number(categoryId) }
  return status === null ? pet : { ...pet, status: status as PetStatus }
}

/** Adds to the problems of a body the one that only the store can know. */
export async function withUnknownCategory(db: Db, problems: ApiError, body: unknown): Promise<ApiError> {
  const categoryId = (body as Partial<NewPet> | null | undefined)?.categoryId
  const sound = problems.details?.every(({ pointer }) => pointer !== '/categoryId' && pointer !== '')
  if (!sound || categoryId === undefined) return problems
  const known = await db
    .selectFrom('category')
    .select('id')
    .where('id', '=', categoryId as never)
    .executeTakeFirst()
  if (known) return problems
  const details = [...(problems.details ?? []), ...(unknownCategory().details ?? [])]
  return new ApiError(problems.code, { details })
}

function unknownCategory(): ApiError {
  const message =
    'No category has this id. GET /categories lists them; POST /categories adds one, with an admin key.'
  return new ApiError('validation_failed', {
    details: [{ pointer: '/categoryId', code: 'unknown_category', message }],
  })
}
