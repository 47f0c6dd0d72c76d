import { unknownCategory } from '../categories/store.ts'
import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import { type Aged, categoryNames, withAge } from './age.ts'
import { requireFreeNumber, requireSound } from './problems.ts'
import { merge } from './profile.ts'
import { byColumn, type Written, written } from './row.ts'
import type { NewPet } from './schema.ts'
import { drawVersion, STORED_COLUMNS, type StoredRow, type Times, timesOf, withReferences } from './store.ts'

type Inserted = Written & Times & { keyId: number; now: number; version: number }

/** Every column of a new animal, and where its value is. */
const COLUMNS = {
  ...byColumn((name: keyof Written): keyof Inserted => name),
  published_at: 'publishedAt',
  status_changed_at: 'statusChangedAt',
  created_at: 'now',
  created_by: 'keyId',
  updated_at: 'now',
  version: 'version',
} as const
const VALUE_OF = Object.entries(COLUMNS) as [keyof typeof COLUMNS, keyof Inserted][]

/** Out of its category: an unknown one then uses no id up, which a broken reference would in PostgreSQL. */
const insertIntoCategory = prepared<Inserted, StoredRow>((db, fill) =>
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

/**
 * @throws {ApiError} other_organization, external_id_exists; validation_failed when there is no such category
 * or organization, or its members do not fit together
 */
export async function insertPet(db: Db, newPet: NewPet, actor: Actor, now: number): Promise<StoredRow> {
  const { keyId, organizationId } = actor
  const sound = merge(organizationId === undefined ? {} : { organizationId }, newPet)
  requireOwn(actor, sound.organizationId)
  await requireSound(db, sound, newPet, now)
  await requireFreeNumber(db, sound)
  const { pet, ageDueAt } = await withAge(categoryNames(db), sound, now)
  const own = { keyId, now, version: drawVersion() }
  const [row] = await withReferences(
    insertIntoCategory(db, { ...written(pet, ageDueAt), ...timesOf(pet.status, now), ...own }),
  )
  if (!row) throw unknownCategory()
  return row
}

/** Who adds animals, and when (Unix time in milliseconds). */
export interface Adding {
  /** null for no key. */
  keyId: number | null
  now: number
}

/**
 * Adds many animals at once, of which is known that they may be added.
 *
 * @returns the new ids, in the order of the animals
 * @throws {ApiError} validation_failed when a category is gone meanwhile
 */
export async function insertPets(db: Db, pets: Aged[], adding: Adding): Promise<number[]> {
  const ids: number[] = []
  for (let from = 0; from < pets.length; from += ROWS) {
    ids.push(...(await insertSome(db, pets.slice(from, from + ROWS), adding)))
  }
  return ids
}

async function insertSome(db: Db, pets: Aged[], { keyId, now }: Adding): Promise<number[]> {
  const rows = pets.map(({ pet, ageDueAt }) => ({
    ...written(pet, ageDueAt),
    ...timesOf(pet.status, now),
    version: drawVersion(),
  }))
  const added = await withReferences(insertRows(db, valuesOf(rows, { now, keyId })))
  added.sort((one, other) => one.id - other.id)
  // Ids grow from row to row in either engine, though neither promises it.
  if (added.some(({ name }, index) => name !== pets[index]?.pet.name))
    throw new Error('the store gave ids in another order')
  return added.map(({ id }) => id)
}

const insertRows = prepared<Values, { id: number; name: string }>(
  (db, fill, values) =>
    db
      .insertInto('pet')
      .values(
        rowsOf(values, fill, (own) => ({
          ...byColumn(own),
          published_at: own('publishedAt'),
          status_changed_at: own('statusChangedAt'),
          created_at: fill('now'),
          created_by: fill('keyId'),
          updated_at: fill('now'),
          version: own('version'),
        })),
      )
      .returning(['id', 'name']),
  shapeOf,
)
