import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { unknownCategory } from '../categories/store.ts'
import { type Fill, prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../db/violation.ts'
import { ApiError } from '../errors.ts'
import type { Validators } from '../http/conditional.ts'
import type { Aged } from './age.ts'
import {
  byColumn,
  columnsOf,
  differs,
  etagOfPet,
  PET_COLUMNS,
  type Picked,
  type PickedRow,
  pickedFrom,
  pickedOf,
  type Row,
  type Show,
  toJson,
  toPet,
  type Written,
  written,
} from './row.ts'
import type { Pet } from './schema.ts'

/** An animal with its validators, and the row that it was read from. */
export interface StoredPet extends Validators {
  pet: Pet
  /** As the row has them. */
  photos: string | null
  row: StoredRow
}

/** The row of an animal, with all that validators are made of: what a change gives back. */
export interface StoredRow extends Row {
  /** Unix time in milliseconds. */
  updatedAt: number
}

export const STORED_COLUMNS = ['updated_at as updatedAt', ...PET_COLUMNS] as const

const findById = prepared<{ id: number }, StoredRow>((db, fill) =>
  db.selectFrom('pet').select(STORED_COLUMNS).where('id', '=', fill('id')),
)

export async function find(db: Db, id: number): Promise<StoredPet | undefined> {
  const [row] = await findById(db, { id })
  return row && toStored(row)
}

/** As a caller sees it, in the form that is needed. All that decides what this one sees is decided before. */
export interface Seen {
  /** Without parsing what is in the row, but where only a part was picked. */
  toJson(): string
  /** What the JSON says. */
  toObject(): Record<string, unknown>
}

export interface Shown extends Validators, Seen {
  id: number
}

export async function findShown(db: Db, id: number, show: Show, picked?: Picked): Promise<Shown | undefined> {
  const [row] = await findToShow(db, { id })
  return row && toShown(row, show, picked)
}

/** All that may be shown of an animal, and what its validators are made of. */
export const SHOWN_COLUMNS = columnsOf(pickedOf('*'))

const findToShow = prepared<{ id: number }, PickedRow>((db, fill) =>
  db.selectFrom('pet').select(SHOWN_COLUMNS).where('id', '=', fill('id')),
)

export function toShown(row: PickedRow, show: Show, picked?: Picked): Shown {
  const seen = picked ? seenOf(() => pickedFrom(row, show, picked)) : seenWhole(row, show)
  return { id: row.id, ...seen, ...validatorsOf(row) }
}

export function seenOf(toObject: Seen['toObject']): Seen {
  return { toObject, toJson: () => JSON.stringify(toObject()) }
}

export function seenWhole(row: Row, show: Show): Seen {
  const json = () => toJson(row, show)
  return { toJson: json, toObject: () => JSON.parse(json()) }
}

/** What a change made of an animal, in the same form. */
export function storedToShown(row: StoredRow, show: Show): Shown {
  return { id: row.id, ...seenWhole(row, show), ...validatorsOf(row) }
}

/** @returns those that are there, in no order */
export async function findMany(db: Db, ids: number[]): Promise<Pet[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('pet').select(PET_COLUMNS).where('id', 'in', ids).execute()
  return rows.map((row) => toPet(row as unknown as Row))
}

/** What those are called that are there, and whether they are listed; in the order of their ids. */
export async function findNames(
  db: Db,
  ids: number[],
): Promise<{ id: number; name: string; status: string | null }[]> {
  if (ids.length === 0) return []
  return db.selectFrom('pet').select(['id', 'name', 'status']).where('id', 'in', ids).orderBy('id').execute()
}

type Changed = Written & Times & { id: number; before: number; version: number; now: number }

/** Of an animal in its version, every member: one statement, whatever a patch names. */
const updateVersion = prepared<Changed, StoredRow>((db, fill) =>
  db
    .updateTable('pet')
    .set({
      ...byColumn((name) => fill(name) as never),
      ...setTimes(fill),
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
): Promise<StoredRow | undefined> {
  const { pet, ageDueAt } = after
  const versions = { before: before.row.version, version: drawVersion() }
  const moved = pet.status === before.pet.status ? undefined : pet.status
  const changed = { ...written(pet, ageDueAt), ...timesOf(moved, now), ...versions, id: before.pet.id, now }
  const [row] = await withReferences(updateVersion(db, changed))
  return row
}

/** Whether it was still as `before`, and is gone now. */
export async function remove(db: Db, before: StoredPet): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('pet')
    .where('id', '=', before.pet.id)
    .where('version', '=', before.row.version)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export function toStored(row: StoredRow): StoredPet {
  return { pet: toPet(row), photos: row.photos, row, ...validatorsOf(row) }
}

function validatorsOf(row: StoredRow): Validators {
  const { id, version, updatedAt, organizationId } = row
  return { etag: etagOfPet(id, version), updatedAt, differs: differs(row), owner: organizationId }
}

/** When an animal that is new, or gets another status, was available first and got that status. */
export function timesOf(status: string | null | undefined, now: number) {
  return {
    publishedAt: status === 'available' ? now : null,
    statusChangedAt: status ? now : null,
  }
}
export type Times = ReturnType<typeof timesOf>

/** Of an update. A time that is kept already stays; one that is null changes nothing. */
export const setTimes = (fill: Fill<Times>) => ({
  published_at: sql<number>`coalesce(published_at, cast(${fill('publishedAt')} as bigint))`,
  status_changed_at: sql<number>`coalesce(cast(${fill('statusChangedAt')} as bigint), status_changed_at)`,
})

/** All have as many digits, and none is one of the counts that older releases gave. */
const [LEAST, MOST] = [2 ** 47, 2 ** 48]

/**
 * Names the state of an animal. It is drawn with every change, not counted: after a restore, another change
 * gives the animal another name. Decision 7.
 */
export function drawVersion(): number {
  return randomInt(LEAST, MOST)
}

/** Says what a change broke: the reference to a category, or what is unique. */
export async function withReferences<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('external_id_exists')
    throw isForeignKeyViolation(error) ? unknownCategory() : error
  }
}
