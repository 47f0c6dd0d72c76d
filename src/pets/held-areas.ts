import { inList, listOf } from '../db/list-parameter.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { areasAt } from './areas.ts'

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
type HeldRow = [
  id: number,
  country: string | null,
  region: string | null,
  former: string,
  next: number | null,
]

const readHeld = prepared<{ ids: unknown }, HeldRow>((db, fill) =>
  db
    .selectFrom('search_area')
    .select(['organization_id', 'country', 'region', 'former', 'next_block'])
    .where('organization_id', 'in', inList(db, fill('ids'), 'bigint')),
)

const readPlaces = prepared<{ ids: unknown }, [id: number, ...Place]>((db, fill) =>
  db
    .selectFrom('organization')
    .select(['id', 'country', 'region'])
    .where('id', 'in', inList(db, fill('ids'), 'bigint')),
)

const areasIn = ([country, region]: Place): string[] => areasAt({ country, region })

/**
 * What the index holds of some organizations, whose animals it is about to take in. Of one that has moved it
 * says so from here on, and all blocks are to be brought up to date.
 */
export async function heldOf(db: Db, ids: number[]): Promise<Map<number, Held>> {
  if (ids.length === 0) return new Map()
  const held = new Map<number, Held>()
  const places = new Map<number, Place>()
  for (const [id, country, region, former, nextBlock] of await readHeld(db, { ids: listOf(db, ids) })) {
    places.set(id, [country, region])
    held.set(id, { areas: areasIn([country, region]), former: JSON.parse(former), nextBlock })
  }
  for (const [id, ...place] of await readPlaces(db, { ids: listOf(db, ids) })) {
    const before = held.get(id)
    if (before && JSON.stringify(places.get(id)) === JSON.stringify(place)) continue
    // Of one that is not known the index has no animal yet.
    const after = before
      ? { areas: areasIn(place), former: [...new Set([...before.former, ...before.areas])], nextBlock: 0 }
      : { areas: areasIn(place), former: [], nextBlock: null }
    held.set(id, after)
    await keep(db, id, place, after)
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
