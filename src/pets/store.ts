import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Validators } from '../http/conditional.ts'
import { byColumn, columnOf, MEMBERS, type Member, type PetStatus, shownOf } from './fields.ts'
import { unknownCategory, withKnownCategory } from './known-category.ts'
import type { NewPet, Pet, PetPatch } from './schema.ts'
import { drawVersion } from './version.ts'

/** The id, and every member under its own name. */
export const PET_COLUMNS = [
  'id',
  ...MEMBERS.map((member) => `${columnOf(member)} as ${member}` as const),
] as const

/** The values of those, in their order. */
export type Row = [id: number, ...members: unknown[]]

/** An animal with its validators. */
export interface StoredPet extends Validators {
  pet: Pet
}

/** The same with what validators are made of. */
export type StoredRow = [id: number, version: number, updatedAt: number, ...members: unknown[]]

const [ID, ...MEMBER_COLUMNS] = PET_COLUMNS
export const STORED_COLUMNS = [ID, 'version', 'updated_at as updatedAt', ...MEMBER_COLUMNS] as const

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

/** @returns those that are there, in no order */
export async function findMany(db: Db, ids: number[]): Promise<Pet[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('pet').select(PET_COLUMNS).where('id', 'in', ids).execute()
  return rows.map((row) => toPet(Object.values(row) as Row))
}

/** What is written of an animal: null for a member that it does not have. */
export type Written = Record<Member, unknown>

export function written(pet: NewPet): Written {
  return Object.fromEntries(MEMBERS.map((member) => [member, pet[member] ?? null])) as Written
}

type Inserted = Written & { keyId: number; now: number; version: number }

/** Out of its category: an unknown one then uses no id up, which a broken reference would in PostgreSQL. */
const insertIntoCategory = prepared<Inserted, StoredRow>((db, fill) =>
  db
    .insertInto('pet')
    .columns([...MEMBERS.map(columnOf), 'created_at', 'created_by', 'updated_at', 'version'])
    .expression(({ selectFrom, val }) =>
      selectFrom('category')
        .select([
          ...MEMBERS.map((member) =>
            member === 'categoryId'
              ? ('category.id as category_id' as const)
              : val(fill(member)).as(columnOf(member)),
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

/** @throws {ApiError} validation_failed when there is no such category */
export async function insertPet(db: Db, newPet: NewPet, keyId: number, now: number): Promise<StoredPet> {
  const values = { ...written(newPet), keyId, now, version: drawVersion() }
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
      ...byColumn((member) => fill(member) as never),
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
  patch: PetPatch,
  now: number,
): Promise<StoredPet | undefined> {
  const { id } = before.pet
  const versions = { before: versionOf(before), version: drawVersion() }
  const changed = { ...written({ ...before.pet, ...patch }), ...versions, id, now }
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

export function toStored([id, version, updatedAt, ...members]: StoredRow): StoredPet {
  return { pet: toPet([id, ...members]), etag: `"${id}-${version}"`, updatedAt }
}

/** A member without a value is absent. */
export function toPet([id, ...values]: Row): Pet {
  const pet: Record<string, unknown> = { id }
  for (const [index, member] of MEMBERS.entries()) {
    const value = values[index]
    if (value !== null) pet[member] = shownOf(member, value)
  }
  return pet as Pet
}
