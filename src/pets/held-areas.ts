import { inList, listOf } from '../db/list-parameter.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { AREA_COLUMNS, type AreaRow, areasAt } from './areas.ts'

// Under which areas the index holds the animals of each organization.

/** What the index holds of one organization. */
export interface Held {
  /** Where it is: under these all its animals are, or will be. */
  areas: string[]
  /** Areas under which it may still hold some. */
  former: string[]
  /** Blocks from this one on are still to be brought up to date; null for none. */
  nextBlock: number | null
}

type Place = [country: string | null, region: string | null]

const readHeld = prepared<{ ids: unknown }, AreaRow>((db, fill) =>
  db
    .selectFrom('search_area')
    .select(AREA_COLUMNS)
    .where('organization_id', 'in', inList(db, fill('ids'), 'bigint')),
)

const readPlaces = prepared<{ ids: unknown }, [id: number, ...Place]>((db, fill) =>
  db
    .selectFrom('organization')
    .select(['id', 'country', 'region'])
    .where('id', 'in', inList(db, fill('ids'), 'bigint')),
)

/**
 * What the index holds of some organizations, by their ids. One that has moved is noted so, with all blocks
 * to be brought up to date; one that was not known, as one of which the index has no animal yet.
 */
export async function updateHeld(db: Db, ids: number[]): Promise<Map<number, Held>> {
  if (ids.length === 0) return new Map()
  const held = new Map<number, Held>()
  const known = new Map<number, string>()
  for (const [id, country, region, former, nextBlock] of await readHeld(db, { ids: listOf(db, ids) })) {
    held.set(id, { areas: areasAt({ country, region }), former: JSON.parse(former), nextBlock })
    known.set(id, JSON.stringify([country, region]))
  }
  for (const [id, country, region] of await readPlaces(db, { ids: listOf(db, ids) })) {
    if (known.get(id) === JSON.stringify([country, region])) continue
    const [areas, before] = [areasAt({ country, region }), held.get(id)]
    const after = before
      ? { areas, former: [...new Set([...before.former, ...before.areas])], nextBlock: 0 }
      : { areas, former: [], nextBlock: null }
    held.set(id, after)
    await keep(db, id, [country, region], after)
  }
  return held
}

const keepRow = prepared<
  { id: number; country: unknown; region: unknown; former: string; next: unknown },
  []
>((db, fill) =>
  db
    .insertInto('search_area')
    .values({
      organization_id: fill('id'),
      country: fill('country') as string,
      region: fill('region') as string,
      former: fill('former'),
      next_block: fill('next') as number,
    })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet(({ ref }) => ({
        country: ref('excluded.country'),
        region: ref('excluded.region'),
        former: ref('excluded.former'),
        next_block: ref('excluded.next_block'),
      })),
    ),
)

async function keep(db: Db, id: number, [country, region]: Place, { former, nextBlock: next }: Held) {
  await keepRow(db, { id, country, region, former: JSON.stringify(former), next })
}

/** Forgets organizations that are gone, once the index holds nothing of them. */
export async function forgetGone(db: Db): Promise<void> {
  await db
    .deleteFrom('search_area')
    .where(({ exists, not, selectFrom }) => not(exists(selectFrom('search_change').select('pet_id'))))
    .where('organization_id', 'not in', (query) => query.selectFrom('organization').select('id'))
    .execute()
}
