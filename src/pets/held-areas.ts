import { inList, listOf } from '../db/list-parameter.ts'
import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { AREA_COLUMNS, type AreaRow, areasAt } from './areas.ts'

// Under which areas the index holds the animals of each organization.

/** What the index holds of one organization. */
export interface Held {
  /** Where it is: under these all its animals are, or will be. */
  areas: string[]
  /** Where it was: under these it may still hold some. */
  former: string[]
  /** Blocks from this one on are still to be brought up to date; null for none. */
  nextBlock: number | null
}

const readHeld = prepared<{ ids: unknown }, AreaRow>((db, fill) =>
  db
    .selectFrom('search_area')
    .select(AREA_COLUMNS)
    .where('organization_id', 'in', inList(db, fill('ids'), 'bigint')),
)

const readPlaces = prepared<{ ids: unknown }, [id: number, country: string | null, region: string | null]>(
  (db, fill) =>
    db
      .selectFrom('organization')
      .select(['id', 'country', 'region'])
      .where('id', 'in', inList(db, fill('ids'), 'bigint')),
)

/**
 * What the index holds of some organizations, by their ids. One that has moved is noted so, with all blocks
 * to be brought up to date, but not before it is done with the last time; one that was not known, as one
 * of which the index has no animal yet.
 */
export async function updateHeld(db: Db, ids: number[]): Promise<Map<number, Held>> {
  if (ids.length === 0) return new Map()
  const held = new Map<number, Held>()
  const known = new Map<number, string>()
  for (const [id, country, region, former, nextBlock] of await readHeld(db, { ids: listOf(db, ids) })) {
    held.set(id, { areas: areasAt({ country, region }), former: JSON.parse(former), nextBlock })
    known.set(id, JSON.stringify([country, region]))
  }
  const rows: object[] = []
  for (const [id, country, region] of await readPlaces(db, { ids: listOf(db, ids) })) {
    const before = held.get(id)
    const isMoving = before !== undefined && before.nextBlock !== null
    if (isMoving || known.get(id) === JSON.stringify([country, region])) continue
    const [former, next] = before ? [before.areas, 0] : [[], null]
    held.set(id, { areas: areasAt({ country, region }), former, nextBlock: next })
    rows.push({ id, country, region, former: JSON.stringify(former), next })
  }
  for (let from = 0; from < rows.length; from += ROWS)
    await keepRows(db, valuesOf(rows.slice(from, from + ROWS), {}))
  return held
}

const keepRows = prepared<Values, []>(
  (db, fill, values) =>
    db
      .insertInto('search_area')
      .values(
        rowsOf(values, fill, (own) => ({
          organization_id: own('id'),
          country: own('country'),
          region: own('region'),
          former: own('former'),
          next_block: own('next'),
        })),
      )
      .onConflict((conflict) =>
        conflict.column('organization_id').doUpdateSet(({ ref }) => ({
          country: ref('excluded.country'),
          region: ref('excluded.region'),
          former: ref('excluded.former'),
          next_block: ref('excluded.next_block'),
        })),
      ),
  shapeOf,
)

/** Forgets organizations that are gone, once the index holds nothing of them. */
export async function forgetGone(db: Db): Promise<void> {
  await db
    .deleteFrom('search_area')
    .where(({ exists, not, selectFrom }) => not(exists(selectFrom('search_change').select('pet_id'))))
    .where('organization_id', 'not in', (query) => query.selectFrom('organization').select('id'))
    .execute()
}
