import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { unknownCategoryError } from '../categories/store.ts'
import { dialectOf } from '../db/dialect.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../db/engine-errors.ts'
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
import { ApiError } from '../errors.ts'
import { recordEvents } from '../events/log.ts'
import type { EventType } from '../events/schema.ts'
import type { Validators } from '../http/conditional.ts'
import { MEMBERS, publicOf } from './fields.ts'
import {
  type AgedPet,
  byColumn,
  type ColumnValues,
  etagOfPet,
  type FieldSelection,
  PET_COLUMNS,
  type PetView,
  type RenderOptions,
  type Row,
  STORED_COLUMNS,
  type StoredRow,
  toColumnValues,
  toPet,
  toPetView,
  validatorsOf,
} from './row.ts'
import type { NewPet, Pet } from './schema.ts'

// Reads animals by id, and adds, changes and removes animals. For lists see list.ts.

/** An animal with its validators, and the row from which they were read. */
export interface StoredPet extends Validators {
  pet: Pet
  /** The `photos` column of the row. */
  photos: string | null
  row: StoredRow
}

const selectById = (db: Db, fill: Fill<{ id: number }>) =>
  db.selectFrom('pet').select(STORED_COLUMNS).where('id', '=', fill('id'))

const findById = prepareQuery<{ id: number }, StoredRow>(selectById)

const findByIdLocked = prepareQuery<{ id: number }, StoredRow>((db, fill) =>
  dialectOf(db).lockRows(selectById(db, fill), 'wait'),
)

export async function find(db: Db, id: number): Promise<StoredPet | undefined> {
  const [row] = await findById(db, { id })
  return row && toStored(row)
}

/** Finds an animal, and locks it until the end of the transaction. For several, use `lock`. */
export async function findLocked(db: Db, id: number): Promise<StoredPet | undefined> {
  const [row] = await findByIdLocked(db, { id })
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
  const [row] = await findById(db, { id })
  return row && toPetView(row, options, selection)
}

/**
 * Refuses to change a copy of an animal of another installation.
 * @throws {ApiError} followed_animal
 */
export function requireNoCopy({ source }: { source: string | null }): void {
  if (source === null) return
  const message = `This animal is a copy from ${new URL(source).host}. Change it there: ${source}`
  throw new ApiError('followed_animal', { message })
}

/**
 * Locks animals until the end of the transaction, the lowest id first. Transactions that lock their animals
 * in this order cannot wait for each other forever.
 */
export async function lock(db: Db, ids: number[]): Promise<void> {
  if (ids.length === 0) return
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

export interface Creation {
  /** The key that adds the animal. Null if no key adds the animal. */
  keyId: number | null
  /** Unix time in milliseconds. */
  now: number
}

type InsertParameters = ColumnValues &
  Times &
  Creation & { version: number; source: string | null; photos: string | null }

/** The columns of a new animal, with the names of their parameters. */
const COLUMNS = {
  ...byColumn((name: keyof ColumnValues): keyof InsertParameters => name),
  published_at: 'publishedAt',
  status_changed_at: 'statusChangedAt',
  created_at: 'now',
  created_by: 'keyId',
  updated_at: 'now',
  version: 'version',
  source: 'source',
  photos: 'photos',
} as const
const VALUE_OF = Object.entries(COLUMNS) as [keyof typeof COLUMNS, keyof InsertParameters][]

const newRow = (aged: AgedPet, now: number) => ({
  ...toColumnValues(aged),
  ...timesOf(aged.pet.status, now),
  version: drawVersion(),
  source: aged.source ?? null,
  photos: aged.photos ?? null,
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
  await recordPetEvents(db, [created(row)], now)
  return row
}

type Identified = Pick<StoredRow, 'id' | 'version' | 'organizationId'>

const created = ({ id, version, organizationId }: Identified) =>
  ({ type: 'pet.created', id, version, organizationId }) as const

/**
 * Adds many animals, which the caller has already checked.
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
  await recordPetEvents(db, added.map(created), now)
  return added.map(({ id }) => id)
}

const insertRows = prepareQuery<RowValues, Identified & { name: string }>(
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
      .returning(['id', 'name', 'version', 'organization_id as organizationId']),
  shapeOf,
)

type UpdateParameters = ColumnValues & Times & { id: number; version: number; now: number }

/** Writes all members. All patches use one prepared query. */
const updateById = prepareQuery<UpdateParameters, StoredRow>((db, fill) =>
  db
    .updateTable('pet')
    .set({
      ...byColumn((name) => fill(name) as never),
      ...setTimes({ publishedAt: fill('publishedAt'), statusChangedAt: fill('statusChangedAt') }),
      updated_at: fill('now'),
      version: fill('version'),
    })
    .where('id', '=', fill('id'))
    .returning(STORED_COLUMNS),
)

/** Changes a locked animal. */
export async function update(db: Db, before: Pet, after: AgedPet, now: number): Promise<StoredRow> {
  const { id } = before
  const status = after.pet.status === before.status ? undefined : after.pet.status
  const version = drawVersion()
  const changed = { ...toColumnValues(after), ...timesOf(status, now), version, id, now }
  const [row] = (await mapViolations(updateById(db, changed))) as [StoredRow]
  const { organizationId } = row
  const own = { id, version, organizationId, ...describeChange(before, after.pet) }
  await recordPetEvents(db, [...describeDeparture(before, after.pet), own], now)
  return row
}

/** Removes a locked animal. */
export async function remove(db: Db, { id, organizationId }: Pet, now: number): Promise<void> {
  await db.deleteFrom('pet').where('id', '=', id).execute()
  await recordPetEvents(db, [{ type: 'pet.deleted', id, organizationId }], now)
}

/** @returns the times to set when an animal gets a status. Null means that the time does not change. */
export function timesOf(status: string | null | undefined, now: number) {
  return {
    publishedAt: status === 'available' ? now : null,
    statusChangedAt: status ? now : null,
  }
}
type Times = ReturnType<typeof timesOf>

/** Sets the times in an update. Null changes nothing, and the time of the first publication never changes. */
export const setTimes = ({ publishedAt, statusChangedAt }: Times) => ({
  published_at: sql<number>`coalesce(published_at, cast(${publishedAt} as bigint))`,
  status_changed_at: sql<number>`coalesce(cast(${statusChangedAt} as bigint), status_changed_at)`,
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

// The events of animals.

interface PetEvent {
  type: EventType
  /** Default: everybody, or only staff if `changed` is empty. */
  audience?: 'internal'
  id: number
  organizationId: number | null | undefined
  /** Undefined for an animal that was removed. */
  version?: number
  status?: { from?: string; to?: string }
  /** The public members that have changed. */
  changed?: string[]
}

/** @param now Unix time in milliseconds */
export async function recordPetEvents(db: Db, events: PetEvent[], now: number): Promise<void> {
  await recordEvents(
    db,
    events.map(({ type, audience, id, organizationId, version, status, changed }) => ({
      type,
      // Only staff see an event about members that only staff can see.
      audience: audience ?? (changed?.length === 0 ? 'internal' : 'public'),
      organizationId,
      data: {
        petId: id,
        ...(version !== undefined && { version: etagOfPet(id, version) }),
        ...(status && { status }),
        ...(changed && { changed }),
      },
    })),
    now,
  )
}

/** Describes the difference between two states of an animal. */
function describeChange(
  before: NewPet,
  after: NewPet,
): Required<Pick<PetEvent, 'type' | 'changed'>> & Pick<PetEvent, 'status'> {
  const changed = MEMBERS.filter(
    (member) => !isSame(publicOf(member, before[member]), publicOf(member, after[member])),
  )
  if (before.status === after.status) return { type: 'pet.updated', changed }
  return { type: 'pet.status_changed', changed, status: statusChange(before.status, after.status) }
}

/**
 * Makes the event for the former organization of an animal that moves. The organization gets no later events
 * of the animal. Like the event of a removal, it has nothing of the animal's new state.
 */
function describeDeparture({ id, organizationId }: Pet, after: NewPet): PetEvent[] {
  if (organizationId === undefined || organizationId === after.organizationId) return []
  return [{ type: 'pet.deleted', audience: 'internal', id, organizationId, changed: ['organizationId'] }]
}

export const statusChange = (from: string | undefined, to: string | undefined) => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
})

/** Compares two values. Nested objects must have their members in the same order on both sides. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}
