import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { PetStatus } from '../pets/schema.ts'

/** An animal that was imported before, as it is now. */
export interface Known {
  sourceId: string
  id: number
  name: string
  categoryId: number
  status: PetStatus | null
}

export async function findKnown(db: Db, source: string, sourceIds: string[]): Promise<Known[]> {
  if (sourceIds.length === 0) return []
  const rows = await db
    .selectFrom('pet_source')
    .innerJoin('pet', 'pet.id', 'pet_source.pet_id')
    .select([
      'pet_source.source_id as sourceId',
      'pet.id as id',
      'name',
      'category_id as categoryId',
      'status',
    ])
    .where('source', '=', source)
    .where('source_id', 'in', sourceIds)
    .execute()
  return rows as Known[]
}

export interface NewAnimal {
  name: string
  categoryId: number | bigint
  status: PetStatus | null
  sourceId: string | undefined
}

export interface Origin {
  source: string
  /** The key that the animals are added by; null for none. */
  keyId: number | null
  /** Unix time in milliseconds. */
  now: number
}

/** So many rows are one statement, of those that are many. */
const ROWS = 200

/** @returns the new ids, in the order of the animals */
export async function insertAnimals(db: Db, animals: NewAnimal[], origin: Origin): Promise<number[]> {
  const ids: number[] = []
  for (let from = 0; from < animals.length; from += ROWS) {
    ids.push(...(await insertSome(db, animals.slice(from, from + ROWS), origin)))
  }
  return ids
}

async function insertSome(db: Db, animals: NewAnimal[], { source, keyId, now }: Origin): Promise<number[]> {
  const added = await insertPets(db, valuesOf(animals, { now, keyId }))
  added.sort(([one], [other]) => one - other)
  const ids = added.map(([id]) => id)
  const sources = animals.flatMap(({ name, sourceId }, place) => {
    // Ids grow from row to row in either engine, though neither promises it.
    if (added[place]?.[1] !== name) throw new Error('the store gave ids in another order')
    return sourceId === undefined ? [] : [{ sourceId, petId: ids[place] }]
  })
  if (sources.length > 0) await insertSources(db, valuesOf(sources, { source }))
  return ids
}

/** Of a statement with many rows: a value that all share by its name, others with the number of their row. */
type Values = Record<string, never>

function valuesOf(rows: object[], shared: object): Values {
  const values: Record<string, unknown> = { ...shared, rows: rows.length }
  for (const [place, row] of rows.entries()) {
    for (const [name, value] of Object.entries(row)) values[name + place] = value
  }
  return values as Values
}

const places = ({ rows }: Values): number[] => [...Array(rows).keys()]
const shapeOf = ({ rows }: Values): string => String(rows)

const insertPets = prepared<Values, [id: number, name: string]>(
  (db, fill, values) =>
    db
      .insertInto('pet')
      .values(
        places(values).map((place) => ({
          name: fill(`name${place}`),
          category_id: fill(`categoryId${place}`),
          status: fill(`status${place}`),
          created_at: fill('now'),
          created_by: fill('keyId'),
          updated_at: fill('now'),
        })),
      )
      .returning(['id', 'name']),
  shapeOf,
)

const insertSources = prepared<Values, never>(
  (db, fill, values) =>
    db.insertInto('pet_source').values(
      places(values).map((place) => ({
        source: fill('source'),
        source_id: fill(`sourceId${place}`),
        pet_id: fill(`petId${place}`),
      })),
    ) as never,
  shapeOf,
)
