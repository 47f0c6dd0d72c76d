import { sql } from 'kysely'
import { prepared } from '../db/prepared.ts'
import { readSettled, type Settled } from '../db/settled.ts'
import type { Db } from '../db/tables.ts'
import type { Validators } from '../http/conditional.ts'
import { unknownCategory, withKnownCategory } from './known-category.ts'
import type { NewPet, Pet, PetPatch, PetQuery, PetStatus } from './schema.ts'

const PET_COLUMNS = ['id', 'name', 'category_id as categoryId', 'status'] as const

type Row = [id: number, name: string, categoryId: number | bigint, status: string | null]

/** Where a page begins, as its cursor says. */
export type Place = Omit<PetQuery, 'cursor'> & { after?: number | undefined }

/** In order after the place; one animal more than asked for, or a cut, tells that there is a next page. */
export async function list(db: Db, place: Place): Promise<Settled<Pet>> {
  // Who names an animal is to get it, whoever is still adding others.
  if (place.sort !== 'id' || place.id) return { found: await read(db, place) }
  return readSettled(db, (inside) => read(inside, place))
}

async function read(db: Db, place: Place): Promise<Pet[]> {
  if (!place.id) return (await preparedPage(db, place)).map(toPet)
  const rows = await page(db, place).execute()
  return rows.map((row) => toPet(Object.values(row) as Row))
}

/** The query of `list`. */
export function page(db: Db, place: Place) {
  const { limit, status, categoryId, id, sort, after } = place
  const [direction, beyond] = sort === 'id' ? (['asc', '>'] as const) : (['desc', '<'] as const)
  let rows = db
    .selectFrom('pet')
    .select(PET_COLUMNS)
    .orderBy('id', direction)
    .limit(sql<number>`${limit} + 1`)
  if (status) rows = rows.where('status', '=', status)
  if (categoryId !== undefined) rows = rows.where('category_id', '=', categoryId)
  if (id) rows = rows.where('id', 'in', id as never)
  if (after !== undefined) rows = rows.where('id', beyond, after)
  return rows
}

/** Of any place without ids, of which there can be many. */
const preparedPage = prepared<Place, Row>(
  (db, fill, { status, categoryId, sort, after }) => {
    const given = {
      ...(status && { status: fill('status') }),
      ...(categoryId !== undefined && { categoryId: fill('categoryId') }),
      ...(after !== undefined && { after: fill('after') }),
    }
    return page(db, { limit: fill('limit'), sort, ...given })
  },
  ({ status, categoryId, sort, after }) =>
    [sort, ...[status, categoryId, after].map((value) => value !== undefined)].join(),
)

/** An animal with its validators. */
export interface StoredPet extends Validators {
  pet: Pet
}

type StoredRow = [...Row, version: number, updatedAt: number]

const STORED_COLUMNS = [...PET_COLUMNS, 'version', 'updated_at as updatedAt'] as const

const findById = prepared<{ id: bigint }, StoredRow>((db, fill) =>
  db
    .selectFrom('pet')
    .select(STORED_COLUMNS)
    .where('id', '=', fill('id') as never),
)

export async function find(db: Db, id: bigint): Promise<StoredPet | undefined> {
  const [row] = await findById(db, { id })
  return row && toStored(row)
}

type Inserted = NewPet & { status: string | null; keyId: number; now: number }

/** Out of its category: an unknown one then uses no id up, which a broken reference would in PostgreSQL. */
const insertIntoCategory = prepared<Inserted, StoredRow>((db, fill) =>
  db
    .insertInto('pet')
    .columns(['name', 'category_id', 'status', 'created_at', 'created_by', 'updated_at'])
    .expression(({ selectFrom, val }) =>
      selectFrom('category')
        .select([
          val(fill('name')).as('name'),
          'category.id as category_id',
          val(fill('status')).as('status'),
          val(fill('now')).as('created_at'),
          val(fill('keyId')).as('created_by'),
          val(fill('now')).as('updated_at'),
        ])
        .where('category.id', '=', fill('categoryId') as never),
    )
    .returning(STORED_COLUMNS),
)

/** @throws {ApiError} validation_failed when there is no such category */
export async function insertPet(db: Db, newPet: NewPet, keyId: number, now: number): Promise<StoredPet> {
  const values = { ...newPet, status: newPet.status ?? null, keyId, now } as Inserted
  const [row] = await withKnownCategory(insertIntoCategory(db, values))
  if (!row) throw unknownCategory()
  return toStored(row)
}

type Changed = PetPatch & { id: number; version: number; now: number }

/** Of an animal in its version; what the patch leaves out is not written again. */
const updateVersion = prepared<Changed, StoredRow>(
  (db, fill, { name, categoryId, status }) =>
    db
      .updateTable('pet')
      .set({
        ...(name !== undefined && { name: fill('name') }),
        ...(categoryId !== undefined && { category_id: fill('categoryId') }),
        ...(status !== undefined && { status: fill('status') }),
        updated_at: fill('now'),
        version: sql`version + 1`,
      })
      .where('id', '=', fill('id'))
      .where('version', '=', fill('version'))
      .returning(STORED_COLUMNS),
  ({ name, categoryId, status }) =>
    `${name !== undefined} ${categoryId !== undefined} ${status !== undefined}`,
)

/** @returns undefined when the animal is no longer as it was `before` */
export async function update(
  db: Db,
  before: StoredPet,
  patch: PetPatch,
  now: number,
): Promise<StoredPet | undefined> {
  const changed = { ...patch, id: Number(before.pet.id), version: versionOf(before), now }
  const [row] = await withKnownCategory(updateVersion(db, changed))
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

type Moved = { id: number | bigint; from: PetStatus; to: PetStatus; now: number }

const moveFrom = prepared<Moved, [id: number]>((db, fill) =>
  db
    .updateTable('pet')
    .set({ status: fill('to'), updated_at: fill('now'), version: sql`version + 1` })
    .where('id', '=', fill('id') as never)
    .where('status', '=', fill('from'))
    .returning('id'),
)

/** @returns its id; undefined when there is no such animal, or it has another status than `from` */
export async function move(db: Db, moved: Moved): Promise<number | undefined> {
  return (await moveFrom(db, moved))[0]?.[0]
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

function versionOf({ etag }: StoredPet): number {
  return Number(/-(\d+)"$/.exec(etag)?.[1])
}

function toStored([id, name, categoryId, status, version, updatedAt]: StoredRow): StoredPet {
  return { pet: toPet([id, name, categoryId, status]), etag: `"${id}-${version}"`, updatedAt }
}

/** An animal without a status has no such member. */
function toPet([id, name, categoryId, status]: Row): Pet {
  const pet: Pet = { id, name, categoryId: Number(categoryId) }
  if (status !== null) pet.status = status as PetStatus
  return pet
}
