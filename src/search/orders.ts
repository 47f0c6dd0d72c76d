import { type RawBuilder, sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { takeTurns } from './turns.ts'

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

/** PostgreSQL: in arrays, since each of many statements is a way to the server and back. */
const deleteArrays = prepared<{ sorts: unknown; keys: unknown; ids: unknown }, []>((db, fill) =>
  db
    .deleteFrom('search_order')
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('sort', 'key', 'pet_id'),
        'in',
        sql`(select sort, key, id from unnest(${fill('sorts')}::text[], ${fill('keys')}::text[], ${fill('ids')}::bigint[]) given (sort, key, id))` as never,
      ),
    ),
)

async function deleteAll(db: Db, gone: Ordered[]): Promise<void> {
  if (dialectOf(db).engine === 'sqlite') for (const one of gone) await deleteOrdered(db, one)
  else if (gone.length > 0)
    await deleteArrays(db, {
      sorts: gone.map(({ sort }) => sort),
      keys: gone.map(({ key }) => key),
      ids: gone.map(({ pet_id: id }) => id),
    })
}

export async function changeOrders(db: Db, gone: Ordered[], come: Ordered[]): Promise<void> {
  await deleteAll(db, gone)
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

interface KeyRange {
  sort: string
  key: string
  limit: number
}

/** One look-up for each key, all in one statement. */
const nextKeys = prepared<KeyRange, [key: string]>((db, fill) => {
  const next = (behind: RawBuilder<unknown>) =>
    sql`(select key from search_order where sort = ${fill('sort')} and key > ${behind} order by key limit 1)`
  const own = db.withRecursive('found(key)', (query) =>
    query
      .selectNoFrom(
        next(sql`${fill('key')}`)
          .$castTo<string | null>()
          .as('key'),
      )
      .unionAll(
        query
          .selectFrom('found')
          .select(next(sql`found.key`).$castTo<string | null>().as('key'))
          .where('found.key', 'is not', null),
      ),
  )
  return own.selectFrom('found').select('found.key').where('found.key', 'is not', null).limit(fill('limit'))
})

/** One statement is one turn of the event loop, and of a cold file each key is a page to read. */
const KEYS_AT_ONCE = 50

interface KnownKeys {
  generation: number
  keys: string[]
}

/** As of the index that they are of: a store may have as many places as a country. */
const known = new WeakMap<Db, Map<string, KnownKeys>>()

/**
 * Every different key of an order, however many animals share it.
 *
 * @param generation of the index, read before: a search looks at its end whether it is still the same
 */
export async function keysIn(db: Db, sort: string, generation: number): Promise<readonly string[]> {
  const ofStore = known.get(db) ?? new Map<string, KnownKeys>()
  known.set(db, ofStore)
  const before = ofStore.get(sort)
  if (before?.generation === generation) return before.keys
  const keys: string[] = []
  for (let key = ''; ; key = keys.at(-1) ?? '') {
    const some = await nextKeys(db, { sort, key, limit: KEYS_AT_ONCE })
    for (const [one] of some) keys.push(one)
    if (some.length < KEYS_AT_ONCE) break
    await takeTurns()
  }
  ofStore.set(sort, { generation, keys })
  return keys
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
