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
}

/** An animal of a file. */
interface Incoming {
  sourceId: string | undefined
  pet: { organizationId?: number | bigint | undefined }
}

/** As the index has it. */
const OWNER = sql<number>`coalesce(organization_id, 0)`

/**
 * Those that came with a file of the same owner, and else those that came with another one and belong to the
 * same organization as the animal does now: what an operator brought in, its organization goes on with.
 */
export async function findKnown(db: Db, { source, fileOf }: Origin, animals: Incoming[]): Promise<Known[]> {
  const owners = new Map<string, number>()
  for (const { sourceId, pet } of animals)
    if (sourceId !== undefined) owners.set(sourceId, Number(pet.organizationId ?? 0))
  if (owners.size === 0) return []
  const rows = await db
    .selectFrom('pet_source')
    .select(['source_id as sourceId', 'pet_id as petId', 'organization_id as fileOf'])
    .where('source', '=', source)
    .where('source_id', 'in', [...owners.keys()])
    .where(OWNER, 'in', [...new Set([0, fileOf ?? 0, ...owners.values()])])
    .execute()
  const known = await pets.findMany(
    db,
    rows.map(({ petId }) => petId),
  )
  const byId = new Map(known.map((pet) => [pet.id, pet]))
  const found = new Map<string, Known>()
  for (const row of rows) {
    const pet = byId.get(row.petId)
    if (!pet) continue
    const { sourceId } = row
    const isSameFile = row.fileOf === (fileOf ?? null)
    const isSameOwner = pet.organizationId !== undefined && pet.organizationId === owners.get(sourceId)
    if (isSameFile || (isSameOwner && !found.has(sourceId))) found.set(sourceId, { pet, sourceId })
  }
  return [...found.values()]
}

/** Every animal that came from there, and what an operator brought in for the organization. */
export async function sourcesOf(db: Db, { source, fileOf }: Origin): Promise<Sourced[]> {
  return db
    .selectFrom('pet_source')
    .innerJoin('pet', 'pet.id', 'pet_source.pet_id')
    .select(['source_id as sourceId', 'pet_id as petId'])
    .where('source', '=', source)
    .where(({ eb, or, and }) => {
      const ofOperator = eb('pet_source.organization_id', 'is', null)
      if (fileOf === undefined) return ofOperator
      const own = eb('pet_source.organization_id', '=', fileOf)
      return or([own, and([ofOperator, eb('pet.organization_id', '=', fileOf)])])
    })
    .orderBy('pet_source.id')
    .execute()
}

/** Whether animals came from there. */
export async function isKnown(db: Db, { source, fileOf }: Origin): Promise<boolean> {
  const query = db
    .selectFrom('pet_source')
    .select('pet_id')
    .where('source', '=', source)
    .where(OWNER, '=', fileOf ?? 0)
    .limit(1)
  return (await query.executeTakeFirst()) !== undefined
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

/** With its first animals: a file of which a part came in is known too. */
export async function rememberFile(db: Db, fingerprint: string, petId: number, now: number): Promise<void> {
  await db
    .insertInto('imported_file')
    .values({ fingerprint, first_pet_id: petId, imported_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
