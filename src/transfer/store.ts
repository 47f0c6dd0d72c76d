import { sql } from 'kysely'
import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Pet } from '../pets/schema.ts'
import * as pets from '../pets/store.ts'

/**
 * Where an id means one animal. Two shelters that use the same program have the same ids for different
 * animals.
 */
export interface Origin {
  source: string
  /** The organization whose file it is; undefined for an operator's, which may have animals of many. */
  fileOf: number | undefined
}

/** An animal that was imported before, as it is now. */
export interface Known {
  sourceId: string
  pet: Pet
  /** Else it came with another one, and belongs to the organization of an animal with the same id. */
  isOfSameFile: boolean
}

/** An animal of a file. */
interface Incoming {
  sourceId: string | undefined
  pet: { organizationId?: number | undefined }
}

/** As the index has it. */
const OWNER = sql<number>`coalesce(pet_source.organization_id, 0)`

/** Those that came with a file of the same owner, or with one that their organizations go on with. */
export async function findKnown(db: Db, { source, fileOf }: Origin, animals: Incoming[]): Promise<Known[]> {
  const ids = animals.flatMap(({ sourceId }) => sourceId ?? [])
  if (ids.length === 0) return []
  const owners = animals.map(({ pet }) => Number(pet.organizationId ?? 0))
  const rows = await db
    .selectFrom('pet_source')
    .select(['source_id as sourceId', 'pet_id as petId', 'organization_id as fileOf'])
    .where('source', '=', source)
    .where('source_id', 'in', ids)
    .where(OWNER, 'in', [...new Set([0, fileOf ?? 0, ...owners])])
    .execute()
  const known = await pets.findMany(
    db,
    rows.map(({ petId }) => petId),
  )
  const byId = new Map(known.map((pet) => [pet.id, pet]))
  return rows.flatMap((row) => {
    const pet = byId.get(row.petId)
    return pet ? [{ sourceId: row.sourceId, pet, isOfSameFile: row.fileOf === (fileOf ?? null) }] : []
  })
}

/** Animals that are here and came from there: of a shelter its own, also what an operator brought in. */
function sourced(db: Db, { source, fileOf }: Origin) {
  const rows = db
    .selectFrom('pet_source')
    .innerJoin('pet', 'pet.id', 'pet_source.pet_id')
    .select(['source_id as sourceId', 'pet_id as petId'])
    .where('source', '=', source)
  return fileOf === undefined
    ? rows
    : rows.where(OWNER, 'in', [0, fileOf]).where('pet.organization_id', '=', fileOf)
}

/** Every animal that came with files of the same owner, and what an operator brought in for a shelter. */
export function sourcesOf(db: Db, origin: Origin): Promise<Sourced[]> {
  const rows = sourced(db, origin).orderBy('pet_source.id')
  return (origin.fileOf === undefined ? rows.where('pet_source.organization_id', 'is', null) : rows).execute()
}

/** Whether animals came from there. */
export async function isKnown(db: Db, origin: Origin): Promise<boolean> {
  return (await sourced(db, origin).limit(1).executeTakeFirst()) !== undefined
}

/** Whose id an animal has in the source. */
export interface Sourced {
  sourceId: string
  petId: number
}

export async function insertSources(db: Db, origin: Origin, animals: Sourced[]): Promise<void> {
  const shared = { source: origin.source, fileOf: origin.fileOf ?? null }
  for (let from = 0; from < animals.length; from += ROWS) {
    await insertRows(db, valuesOf(animals.slice(from, from + ROWS), shared))
  }
}

const insertRows = prepared<Values, never>(
  (db, fill, values) =>
    db.insertInto('pet_source').values(
      rowsOf(values, fill, (own) => ({
        source: fill('source'),
        source_id: own('sourceId'),
        pet_id: own('petId'),
        organization_id: fill('fileOf'),
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

/**
 * With its first animals: a file of which a part came in is known too.
 *
 * @returns false where it was known
 */
export async function rememberFile(
  db: Db,
  fingerprint: string,
  petId: number,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('imported_file')
    .values({ fingerprint, first_pet_id: petId, imported_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
