import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Validators } from '../http/conditional.ts'
import { unknownCategory, withKnownCategory } from './known-category.ts'
import type { NewPet, Pet, PetPatch, PetStatus } from './schema.ts'
import { drawVersion } from './version.ts'

export const PET_COLUMNS = ['id', 'name', 'category_id as categoryId', 'status'] as const

export type Row = [id: number, name: string, categoryId: number | bigint, status: string | null]

/** An animal with its validators. */
export interface StoredPet extends Validators {
  pet: Pet
}

export type StoredRow = [...Row, version: number, updatedAt: number]

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

/** An animal without its validators. */
export interface Listed {
  id: number
  name: string
  categoryId: number
  status: PetStatus | null
}

/** @returns those that are there, in no order */
export async function findMany(db: Db, ids: number[]): Promise<Listed[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('pet').select(PET_COLUMNS).where('id', 'in', ids).execute()
  return rows as Listed[]
}

type Inserted = NewPet & { status: string | null; keyId: number; now: number; version: number }

/** Out of its category: an unknown one then uses no id up, which a broken reference would in PostgreSQL. */
const insertIntoCategory = prepared<Inserted, StoredRow>((db, fill) =>
  db
    .insertInto('pet')
    .columns(['name', 'category_id', 'status', 'created_at', 'created_by', 'updated_at', 'version'])
    .expression(({ selectFrom, val }) =>
      selectFrom('category')
        .select([
          val(fill('name')).as('name'),
          'category.id as category_id',
          val(fill('status')).as('status'),
          val(fill('now')).as('created_at'),
          val(fill('keyId')).as('created_by'),
          val(fill('now')).as('updated_at'),
          val(fill('version')).as('version'),
        ])
        .where('category.id', '=', fill('categoryId') as never),
    )
    .returning(STORED_COLUMNS),
)

/** @throws {ApiError} validation_failed when there is no such category */
export async function insertPet(db: Db, newPet: NewPet, keyId: number, now: number): Promise<StoredPet> {
  const values = { ...newPet, status: newPet.status ?? null, keyId, now, version: drawVersion() } as Inserted
  const [row] = await withKnownCategory(insertIntoCategory(db, values))
  if (!row) throw unknownCategory()
  return toStored(row)
}

type Changed = PetPatch & { id: number; before: number; version: number; now: number }

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
        version: fill('version'),
      })
      .where('id', '=', fill('id'))
      .where('version', '=', fill('before'))
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
  const versions = { before: versionOf(before), version: drawVersion() }
  const changed = { ...patch, ...versions, id: Number(before.pet.id), now }
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

const moveFrom = prepared<Moved & { version: number }, [id: number]>((db, fill) =>
  db
    .updateTable('pet')
    .set({ status: fill('to'), updated_at: fill('now'), version: fill('version') })
    .where('id', '=', fill('id') as never)
    .where('status', '=', fill('from'))
    .returning('id'),
)

/** @returns its id; undefined when there is no such animal, or it has another status than `from` */
export async function move(db: Db, moved: Moved): Promise<number | undefined> {
  return (await moveFrom(db, { ...moved, version: drawVersion() }))[0]?.[0]
}

function versionOf({ etag }: StoredPet): number {
  return Number(/-(\d+)"$/.exec(etag)?.[1])
}

export function toStored([id, name, categoryId, status, version, updatedAt]: StoredRow): StoredPet {
  return { pet: toPet([id, name, categoryId, status]), etag: `"${id}-${version}"`, updatedAt }
}

/** An animal without a status has no such member. */
export function toPet([id, name, categoryId, status]: Row): Pet {
  const pet: Pet = { id, name, categoryId: Number(categoryId) }
  if (status !== null) pet.status = status as PetStatus
  return pet
}
