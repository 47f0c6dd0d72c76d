import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Aged } from './age.ts'
import { withReferences } from './references.ts'
import { byColumn, written } from './row.ts'
import { timesOf } from './times.ts'
import { drawVersion } from './version.ts'

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
