import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'

// The animals in orders that are not that of their ids.

/** Where an animal stands in an order. */
export interface Ordered {
  sort: string
  key: string
  pet_id: number
}

const insertOrdered = prepared<Values, []>(
  (db, fill, values) =>
    db
      .insertInto('search_order')
      .values(rowsOf(values, fill, (own) => ({ sort: own('sort'), key: own('key'), pet_id: own('pet_id') })))
      .onConflict((conflict) => conflict.doNothing()),
  shapeOf,
)

const deleteOrdered = prepared<Ordered, []>((db, fill) =>
  db
    .deleteFrom('search_order')
    .where('sort', '=', fill('sort'))
    .where('key', '=', fill('key'))
    .where('pet_id', '=', fill('pet_id')),
)

export async function changeOrders(db: Db, gone: Ordered[], come: Ordered[]): Promise<void> {
  for (const one of gone) await deleteOrdered(db, one)
  for (let from = 0; from < come.length; from += ROWS)
    await insertOrdered(db, valuesOf(come.slice(from, from + ROWS), {}))
}

export type Range = { sort: string; key: string; id: number; limit: number }

const walkUp = prepared<Range, [key: string, petId: number]>((db, fill) =>
  db
    .selectFrom('search_order')
    .select(['key', 'pet_id'])
    .where('sort', '=', fill('sort'))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('key', 'pet_id'), '>', tuple(fill('key') as string, fill('id') as number)),
    )
    .orderBy('key')
    .orderBy('pet_id')
    .limit(fill('limit')),
)

const walkDown = prepared<Range, [key: string, petId: number]>((db, fill) =>
  db
    .selectFrom('search_order')
    .select(['key', 'pet_id'])
    .where('sort', '=', fill('sort'))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('key', 'pet_id'), '<', tuple(fill('key') as string, fill('id') as number)),
    )
    .orderBy('key', 'desc')
    .orderBy('pet_id', 'desc')
    .limit(fill('limit')),
)

/** Animals behind a position of an order. */
export function walk(
  db: Db,
  range: Range,
  direction: 'asc' | 'desc',
): Promise<[key: string, petId: number][]> {
  return (direction === 'asc' ? walkUp : walkDown)(db, range)
}

const nextKey = prepared<{ sort: string; key: string }, [key: string]>((db, fill) =>
  db
    .selectFrom('search_order')
    .select('key')
    .where('sort', '=', fill('sort'))
    .where('key', '>', fill('key'))
    .orderBy('key')
    .limit(1),
)

/** Every different key of an order: one look-up each, however many animals share it. */
export async function keysIn(db: Db, sort: string): Promise<string[]> {
  const found: string[] = []
  for (let key = ''; ; ) {
    const [row] = await nextKey(db, { sort, key })
    if (!row) return found
    key = row[0]
    found.push(key)
  }
}

const idsUnder = prepared<Range, [petId: number]>((db, fill) =>
  db
    .selectFrom('search_order')
    .select('pet_id')
    .where('sort', '=', fill('sort'))
    .where('key', '=', fill('key'))
    .where('pet_id', '>', fill('id'))
    .orderBy('pet_id')
    .limit(fill('limit')),
)

/** Animals that share a key, behind an id. */
export async function idsWith(db: Db, range: Range): Promise<number[]> {
  return (await idsUnder(db, range)).map(([id]) => id)
}
