import { hash } from 'node:crypto'
import { sql } from 'kysely'
import {
  MAX_STATEMENT_ROWS,
  prepareQuery,
  type RowValues,
  rowsOf,
  shapeOf,
  valuesOf,
} from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Pet } from '../pets/schema.ts'
import * as pets from '../pets/store.ts'
import type { Draft } from './read.ts'
import { RefusalError } from './report.ts'

// Remembers which animals and files were imported.

/** The source of the animals in files without ids. Their ids are made from the content of their lines. */
export const ROWS = 'lines of files'

export const isByRow = ({ source }: Pick<Origin, 'source'>): boolean => source === ROWS

/** The scope of an id in a file. Shelters that use the same program have the same ids for other animals. */
export interface Origin {
  source: string
  /** The organization that owns the file; undefined for an operator's, with animals of any organization. */
  fileOf: number | undefined
}

/** The store remembers ids of up to this many characters. */
const MAX_ID_LENGTH = 200

/** Makes the stored id of an animal whose id is not unique in its file. Ids in files have no line breaks. */
export function joinId(id: string, part: string | number): string {
  const joined = `${id}\n${part}`
  return joined.length <= MAX_ID_LENGTH ? joined : hash('sha256', joined, 'base64url')
}

/** The id in the file, without what `joinId` has added. */
export const idInFile = (sourceId: string): string => sourceId.split('\n', 1)[0] ?? ''

/** An animal that was imported before, in its current state. */
export interface ExistingAnimal {
  sourceId: string
  pet: Pet
  /** False if another owner's file added this animal, which then matches only in its organization. */
  isOfSameFile: boolean
  /** True if the store does not know yet that the animal has this id. */
  isNew?: true
}

/** An animal in a file. */
interface IncomingAnimal {
  sourceId: string | undefined
  pet: { organizationId?: number | undefined }
}

/** Must equal the expression in the index pet_source_by_id, or the index is not used. */
const OWNER = sql<number>`coalesce(pet_source.organization_id, 0)`

/** Finds the animals imported from files of the same owner, the operator, or the animals' organizations. */
export async function findExisting(
  db: Db,
  { source, fileOf }: Origin,
  animals: IncomingAnimal[],
): Promise<ExistingAnimal[]> {
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
  const existing = await pets.findMany(
    db,
    rows.map(({ petId }) => petId),
  )
  const byId = new Map(existing.map((pet) => [pet.id, pet]))
  return rows.flatMap((row) => {
    const pet = byId.get(row.petId)
    return pet ? [{ sourceId: row.sourceId, pet, isOfSameFile: row.fileOf === (fileOf ?? null) }] : []
  })
}

/** Selects the animals of a source; for a shelter its own, including those an operator imported for it. */
function selectSources(db: Db, { source, fileOf }: Origin) {
  const rows = db
    .selectFrom('pet_source')
    .innerJoin('pet', 'pet.id', 'pet_source.pet_id')
    .select(['source_id as sourceId', 'pet_id as petId'])
    .where('pet_source.source', '=', source)
  return fileOf === undefined
    ? rows
    : rows.where(OWNER, 'in', [0, fileOf]).where('pet.organization_id', '=', fileOf)
}

/** Lists every animal from files of this owner, including those that an operator imported for a shelter. */
export function listSources(db: Db, origin: Origin): Promise<AnimalSource[]> {
  const rows = selectSources(db, origin).orderBy('pet_source.id')
  return (origin.fileOf === undefined ? rows.where('pet_source.organization_id', 'is', null) : rows).execute()
}

/** An animal and its id in the source. */
export interface AnimalSource {
  sourceId: string
  petId: number
}

export async function insertSources(db: Db, origin: Origin, animals: AnimalSource[]): Promise<void> {
  const shared = { source: origin.source, fileOf: origin.fileOf ?? null }
  for (let from = 0; from < animals.length; from += MAX_STATEMENT_ROWS) {
    await insertRows(db, valuesOf(animals.slice(from, from + MAX_STATEMENT_ROWS), shared))
  }
}

/** Remembers the id of an animal that was added by hand or by row. An id in another source stays. */
export async function linkSource(db: Db, { source, fileOf }: Origin, animal: AnimalSource): Promise<void> {
  const row = { source, source_id: animal.sourceId, organization_id: fileOf ?? null }
  await db
    .insertInto('pet_source')
    .values({ ...row, pet_id: animal.petId })
    .onConflict((conflict) =>
      conflict.column('pet_id').doUpdateSet(row).where('pet_source.source', '=', ROWS),
    )
    .execute()
}

const insertRows = prepareQuery<RowValues, never>(
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

/** Compares up to this many animals of a file with the animals of the store. */
const MAX_COMPARED = 200

/**
 * Refuses a file that `adoptable export` wrote from this store. Importing it would add all animals again.
 * @param organizationId the organization of the key; only animals of this organization are compared
 * @throws {RefusalError} if most of the ids belong to an animal with the same name in the store
 */
export async function refuseOwnIds(
  db: Db,
  drafts: Draft[],
  origin: Origin,
  organizationId: number | undefined,
): Promise<void> {
  const names = new Map<number, unknown>()
  for (const { sourceId, ownId = sourceId, animal } of drafts.slice(0, MAX_COMPARED)) {
    if (ownId !== undefined && /^[1-9]\d{0,14}$/.test(ownId)) names.set(Number(ownId), animal.name)
  }
  if (names.size === 0) return
  const imported = await findExisting(
    db,
    origin,
    drafts.slice(0, MAX_COMPARED).map(({ sourceId }) => ({ sourceId, pet: { organizationId } })),
  )
  if (imported.length * 2 > names.size) return
  const existing = await pets.findMany(db, [...names.keys()])
  const own = existing.filter((pet) => organizationId === undefined || pet.organizationId === organizationId)
  const same = own.filter(({ id, name }) => names.get(id) === name)
  if (same.length * 2 <= names.size) return
  throw new RefusalError({
    code: 'own_ids',
    message:
      'nothing was changed: the file has ids of this store, as `adoptable export` writes them, and each animal would ' +
      'be added again. If the ids come from another system, use --update id --source NAME',
  })
}
