import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Pet } from '../pets/schema.ts'
import * as pets from '../pets/store.ts'

/** An animal that was imported before, as it is now. */
export interface Known {
  sourceId: string
  pet: Pet
}

export async function findKnown(db: Db, source: string, sourceIds: string[]): Promise<Known[]> {
  if (sourceIds.length === 0) return []
  const rows = await db
    .selectFrom('pet_source')
    .select(['source_id as sourceId', 'pet_id as petId'])
    .where('source', '=', source)
    .where('source_id', 'in', sourceIds)
    .execute()
  const known = await pets.findMany(
    db,
    rows.map(({ petId }) => petId),
  )
  const byId = new Map(known.map((pet) => [pet.id, pet]))
  return rows.flatMap(({ sourceId, petId }) => {
    const pet = byId.get(petId)
    return pet ? [{ pet, sourceId }] : []
  })
}

/** Every animal that came from a source, by its id there. */
export async function sourcesOf(db: Db, source: string): Promise<Sourced[]> {
  return db
    .selectFrom('pet_source')
    .select(['source_id as sourceId', 'pet_id as petId'])
    .where('source', '=', source)
    .orderBy('id')
    .execute()
}

/** Whether animals of the source were imported. */
export async function isKnown(db: Db, source: string): Promise<boolean> {
  const query = db.selectFrom('pet_source').select('pet_id').where('source', '=', source).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

/** Whose id an animal has in the source. */
export interface Sourced {
  sourceId: string
  petId: number
}

export async function insertSources(db: Db, source: string, animals: Sourced[]): Promise<void> {
  for (let from = 0; from < animals.length; from += ROWS) {
    await insertRows(db, valuesOf(animals.slice(from, from + ROWS), { source }))
  }
}

const insertRows = prepared<Values, never>(
  (db, fill, values) =>
    db.insertInto('pet_source').values(
      rowsOf(values, fill, (own) => ({
        source: fill('source'),
        source_id: own('sourceId'),
        pet_id: own('petId'),
      })),
    ) as never,
  shapeOf,
)

/** The first animal that came in with a file. @returns undefined when the file is not known */
export async function firstOfFile(db: Db, fingerprint: string): Promise<number | undefined> {
  const known = await db
    .selectFrom('imported_file')
    .select('first_pet_id as petId')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  return known?.petId
}

/** With its first animals: a file of which a part came in is known too. */
export async function rememberFile(db: Db, fingerprint: string, petId: number, now: number): Promise<void> {
  await db
    .insertInto('imported_file')
    .values({ fingerprint, first_pet_id: petId, imported_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
