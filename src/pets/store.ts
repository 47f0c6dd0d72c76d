import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { unknownCategoryError } from '../categories/store.ts'
import { dialectOf } from '../db/dialect.ts'
import {
  type Fill,
  MAX_STATEMENT_ROWS,
  prepareQuery,
  type RowValues,
  rowsOf,
  shapeOf,
  valuesOf,
} from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../db/violations.ts'
import { ApiError } from '../errors.ts'
import type { Validators } from '../http/conditional.ts'
import {
  type AgedPet,
  byColumn,
  type ColumnValues,
  type FieldSelection,
  PET_COLUMNS,
  type PetView,
  type RenderOptions,
  type Row,
  type RowWithTimes,
  STORED_COLUMNS,
  type StoredRow,
  toColumnValues,
  toPet,
  toPetView,
  VIEW_COLUMNS,
  validatorsOf,
} from './row.ts'
import type { Pet } from './schema.ts'

// Reads animals by id, and adds, changes and removes animals. For lists see list.ts.

/** An animal with its validators, and the row from which they were read. */
export interface StoredPet extends Validators {
  pet: Pet
  /** The `photos` column of the row. */
  photos: string | null
  row: StoredRow
}

const findById = prepareQuery<{ id: number }, StoredRow>((db, fill) =>
  db.selectFrom('pet').select(STORED_COLUMNS).where('id', '=', fill('id')),
)

export async function find(db: Db, id: number): Promise<StoredPet | undefined> {
  const [row] = await findById(db, { id })
  return row && toStored(row)
}

export function toStored(row: StoredRow): StoredPet {
  return { pet: toPet(row), photos: row.photos, row, ...validatorsOf(row) }
}

export async function findView(
  db: Db,
  id: number,
  options: RenderOptions,
  selection?: FieldSelection,
): Promise<PetView | undefined> {
  const [row] = await findForView(db, { id })
  return row && toPetView(row, options, selection)
}

const findForView = prepareQuery<{ id: number }, RowWithTimes>((db, fill) =>
  db.selectFrom('pet').select(VIEW_COLUMNS).where('id', '=', fill('id')),
)

/**
 * Locks animals until the end of the transaction, the lowest id first. Transactions that lock their animals
 * in this order cannot wait for each other forever.
 */
export async function lock(db: Db, ids: number[]): Promise<void> {
  const rows = db.selectFrom('pet').select('id').where('id', 'in', ids).orderBy('id')
  await dialectOf(db).lockRows(rows, 'wait').execute()
}

/** Finds animals by id. Unknown ids are skipped. The order is undefined. */
export async function findMany(db: Db, ids: number[]): Promise<Pet[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('pet').select(PET_COLUMNS).where('id', 'in', ids).execute()
  return rows.map((row) => toPet(row as unknown as Row))
}

/** Finds names and statuses of animals, by id. Unknown ids are skipped. */
export async function findNames(
  db: Db,
  ids: number[],
): Promise<{ id: number; name: string; status: string | null }[]> {
  if (ids.length === 0) return []
  return db.selectFrom('pet').select(['id', 'name', 'status']).where('id', 'in', ids).orderBy('id').execute()
}

/** The key that adds an animal, and the time. */
export interface Creation {
  /** The key that adds the animal. Null if no key adds the animal. */
  keyId: number | null
  /** Unix time in milliseconds. */
  now: number
}

type InsertParameters = ColumnValues & Times & Creation & { version: number }

/** The columns of a new animal, with the names of their parameters. */
const COLUMNS = {
  ...byColumn((name: keyof ColumnValues): keyof InsertParameters => name),
  published_at: 'publishedAt',
  status_changed_at: 'statusChangedAt',
  created_at: 'now',
  created_by: 'keyId',
  updated_at: 'now',
  version: 'version',
} as const
const VALUE_OF = Object.entries(COLUMNS) as [keyof typeof COLUMNS, keyof InsertParameters][]

const newRow = (aged: AgedPet, now: number) => ({
  ...toColumnValues(aged),
  ...timesOf(aged.pet.status, now),
  version: drawVersion(),
})

/**
 * Inserts by selecting from `category`, so an unknown category inserts nothing. A failed insert would use up
 * an id.
 */
const insertIntoCategory = prepareQuery<InsertParameters, StoredRow>((db, fill) =>
  db
    .insertInto('pet')
    .columns(VALUE_OF.map(([column]) => column))
    .expression(({ selectFrom, val }) =>
      selectFrom('category')
        .select(
          VALUE_OF.map(([column, name]) =>
            column === 'category_id' ? ('category.id as category_id' as const) : val(fill(name)).as(column),
          ),
        )
        .where('category.id', '=', fill('categoryId')),
    )
    .returning(STORED_COLUMNS),
)

/** @throws {ApiError} external_id_exists; validation_failed for an unknown category */
export async function insert(db: Db, aged: AgedPet, { keyId, now }: Creation): Promise<StoredRow> {
  const [row] = await mapViolations(insertIntoCategory(db, { ...newRow(aged, now), keyId, now }))
  if (!row) throw unknownCategoryError()
  return row
}

/**
 * Adds many animals, which the caller has already checked.
 *
 * @returns the new ids, in the order of the animals
 * @throws {ApiError} validation_failed if a category was removed since the check
 */
export async function insertPets(db: Db, pets: AgedPet[], creation: Creation): Promise<number[]> {
  const ids: number[] = []
  for (let from = 0; from < pets.length; from += MAX_STATEMENT_ROWS) {
    ids.push(...(await insertSome(db, pets.slice(from, from + MAX_STATEMENT_ROWS), creation)))
  }
  return ids
}

async function insertSome(db: Db, pets: AgedPet[], { keyId, now }: Creation): Promise<number[]> {
  const rows = pets.map((aged) => newRow(aged, now))
  const added = await mapViolations(insertRows(db, valuesOf(rows, { now, keyId })))
  added.sort((one, other) => one.id - other.id)
  // Sorts the ids. Both engines assign rising ids to the rows of an insert, but neither guarantees this.
  if (added.some(({ name }, index) => name !== pets[index]?.pet.name))
    throw new Error('the database assigned ids in another order')
  return added.map(({ id }) => id)
}

const insertRows = prepareQuery<RowValues, { id: number; name: string }>(
  (db, fill, values) =>
    db
      .insertInto('pet')
      .values(
        rowsOf(
          values,
          fill,
          (own) =>
            // All rows have the same key and the same time.
            Object.fromEntries(
              VALUE_OF.map(([column, name]) => [
                column,
                name === 'now' || name === 'keyId' ? fill(name) : own(name),
              ]),
            ) as never,
        ),
      )
      .returning(['id', 'name']),
  shapeOf,
)

type UpdateParameters = ColumnValues & Times & { id: number; before: number; version: number; now: number }

/** Writes all members, if the version is unchanged. All patches use one prepared query. */
const updateVersion = prepareQuery<UpdateParameters, StoredRow>((db, fill) =>
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

/** @returns undefined if the animal has changed since `before` was read */
export async function update(
  db: Db,
  before: StoredPet,
  after: AgedPet,
  now: number,
): Promise<StoredRow | undefined> {
  const { id, version } = before.row
  const status = after.pet.status === before.pet.status ? undefined : after.pet.status
  const versions = { before: version, version: drawVersion() }
  const changed = { ...toColumnValues(after), ...timesOf(status, now), ...versions, id, now }
  const [row] = await mapViolations(updateVersion(db, changed))
  return row
}

/** @returns false if the animal has changed since `before` was read */
export async function remove(db: Db, before: StoredPet): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('pet')
    .where('id', '=', before.pet.id)
    .where('version', '=', before.row.version)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** @returns the times to set when an animal gets a status. Null means that a time stays unchanged */
export function timesOf(status: string | null | undefined, now: number) {
  return {
    publishedAt: status === 'available' ? now : null,
    statusChangedAt: status ? now : null,
  }
}
export type Times = ReturnType<typeof timesOf>

/** Sets the times in an update. Null changes nothing, and the time of the first publication never changes. */
export const setTimes = (fill: Fill<Times>) => ({
  published_at: sql<number>`coalesce(published_at, cast(${fill('publishedAt')} as bigint))`,
  status_changed_at: sql<number>`coalesce(cast(${fill('statusChangedAt')} as bigint), status_changed_at)`,
})

/** Versions have 15 digits. Older releases used small counts. */
const [MIN_VERSION, MAX_VERSION] = [2 ** 47, 2 ** 48]

/**
 * Draws a random version for each change of an animal. A counter would repeat versions after a restore from a
 * backup. See decision 7.
 */
export function drawVersion(): number {
  return randomInt(MIN_VERSION, MAX_VERSION)
}

/** Maps constraint violations to errors. @throws {ApiError} external_id_exists, validation_failed */
export async function mapViolations<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('external_id_exists')
    throw isForeignKeyViolation(error) ? unknownCategoryError() : error
  }
}
