import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { View } from '../http/caller.ts'
import type { Validators } from '../http/conditional.ts'
import { type Aged, categoryNames, withAge } from './age.ts'
import type { PetStatus } from './fields.ts'
import { unknownCategory, withKnownCategory } from './known-category.ts'
import { checkProfile, merge } from './profile.ts'
import {
  byColumn,
  differs,
  KEPT,
  keptIn,
  PET_COLUMNS,
  type Row,
  toJson,
  toPet,
  type Written,
  written,
} from './row.ts'
import type { NewPet, Pet } from './schema.ts'
import { drawVersion } from './version.ts'

/** An animal with its validators. */
export interface StoredPet extends Validators {
  pet: Pet
}

/** The same with what validators are made of. */
export type StoredRow = [version: number, updatedAt: number, ...Row]

export const STORED_COLUMNS = ['version', 'updated_at as updatedAt', ...PET_COLUMNS] as const

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

/** As a caller sees it, as JSON. */
export interface Shown extends Validators {
  id: number
  json: string
}

export async function findShown(db: Db, id: bigint, view: View): Promise<Shown | undefined> {
  const [row] = await findById(db, { id })
  return row && toShown(row, view)
}

export function toShown([version, updatedAt, ...row]: StoredRow, view: View): Shown {
  return { id: row[0], json: toJson(row, view), ...validatorsOf(version, updatedAt, row) }
}

/** @returns those that are there, in no order */
export async function findMany(db: Db, ids: number[]): Promise<Pet[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('pet').select(PET_COLUMNS).where('id', 'in', ids).execute()
  return rows.map((row) => toPet(Object.values(row) as Row))
}

type Inserted = Written & { keyId: number; now: number; version: number }

/** Out of its category: an unknown one then uses no id up, which a broken reference would in PostgreSQL. */
const insertIntoCategory = prepared<Inserted, StoredRow>((db, fill) =>
  db
    .insertInto('pet')
    .columns([...KEPT.map(keptIn), 'created_at', 'created_by', 'updated_at', 'version'])
    .expression(({ selectFrom, val }) =>
      selectFrom('category')
        .select([
          ...KEPT.map((name) =>
            name === 'categoryId'
              ? ('category.id as category_id' as const)
              : val(fill(name)).as(keptIn(name)),
          ),
          val(fill('now')).as('created_at'),
          val(fill('keyId')).as('created_by'),
          val(fill('now')).as('updated_at'),
          val(fill('version')).as('version'),
        ])
        .where('category.id', '=', fill('categoryId') as never),
    )
    .returning(STORED_COLUMNS),
)

/** @throws {ApiError} validation_failed when there is no such category, or its members do not fit together */
export async function insertPet(db: Db, newPet: NewPet, keyId: number, now: number): Promise<StoredPet> {
  const sound = merge({}, newPet)
  checkProfile(sound, newPet, now)
  const { pet, ageDueAt } = await withAge(categoryNames(db), sound, now)
  const values = { ...written(pet, ageDueAt), keyId, now, version: drawVersion() }
  const [row] = await withKnownCategory(insertIntoCategory(db, values))
  if (!row) throw unknownCategory()
  return toStored(row)
}

type Changed = Written & { id: number; before: number; version: number; now: number }

/** Of an animal in its version, every member: one statement, whatever a patch names. */
const updateVersion = prepared<Changed, StoredRow>((db, fill) =>
  db
    .updateTable('pet')
    .set({
      ...byColumn((name) => fill(name) as never),
      updated_at: fill('now'),
      version: fill('version'),
    })
    .where('id', '=', fill('id'))
    .where('version', '=', fill('before'))
    .returning(STORED_COLUMNS),
)

/** @returns undefined when the animal is no longer as it was `before` */
export async function update(
  db: Db,
  before: StoredPet,
  after: Aged,
  now: number,
): Promise<StoredPet | undefined> {
  const { pet, ageDueAt } = after
  const versions = { before: versionOf(before), version: drawVersion() }
  const changed = { ...written(pet, ageDueAt), ...versions, id: before.pet.id, now }
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

export function toStored([version, updatedAt, ...row]: StoredRow): StoredPet {
  return { pet: toPet(row), ...validatorsOf(version, updatedAt, row) }
}

function validatorsOf(version: number, updatedAt: number, row: Row): Validators {
  return { etag: `"${row[0]}-${version}"`, updatedAt, differs: differs(row) }
}
