import { shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { takeTurns } from '../search/turns.ts'
import { fold } from '../search/words.ts'
import { toPublicParts } from './row.ts'
import { AT, AT_ORGANIZATION, type Parts, placeTokens, type SearchedRow } from './tokens.ts'

// Where animals stand in the orders that are not that of the ids.

/** Of an animal's row what decides where it stands. */
export type OrderedRow = [
  name: string,
  organizationId: unknown,
  publicPart: string | null,
  publishedAt: number | null,
]

const readSome = prepared<Values, [id: number, ...OrderedRow]>(
  (db, fill, { rows }) =>
    db
      .selectFrom('pet')
      .select([
        'id',
        'name',
        'organization_id as organizationId',
        'public_part as publicPart',
        'published_at as publishedAt',
      ])
      .where(
        'id',
        'in',
        Array.from({ length: Number(rows) }, (_, index) => fill(`id${index}`) as number),
      ),
  shapeOf,
)

/** So many: on a cold disk each animal is a page to read, and others wait for the whole statement. */
const READ_AT_ONCE = 50

/** What `read` gives of each of some animals. */
export async function* readInSteps<Row>(
  db: Db,
  ids: number[],
  read: (db: Db, ids: number[]) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    yield* await read(db, ids.slice(from, from + READ_AT_ONCE))
    await takeTurns()
  }
}

/** Of at most ROWS animals those that are there, in no order. */
export function readOrdered(db: Db, ids: number[]): Promise<[id: number, ...OrderedRow][]> {
  return readSome(
    db,
    valuesOf(
      ids.map((id) => ({ id })),
      {},
    ),
  )
}

const ORDERS = ['name', 'publishedAt', AT] as const
export type Order = (typeof ORDERS)[number]

/** Where an animal stands in an order; undefined where it is not in it. */
export function keyIn(order: Order, [name, organizationId, publicPart, publishedAt]: OrderedRow) {
  if (order === 'name') return nameKey(name)
  return order === 'publishedAt' ? timeKey(publishedAt) : placeTokenOf(publicPart, organizationId)
}

/** The same in every order. */
export function keysOf(row: SearchedRow): [order: Order, key: string][] {
  const [name, , , , organizationId, , publicPart, , publishedAt] = row
  const ordered: OrderedRow = [name, organizationId, publicPart, publishedAt]
  return ORDERS.flatMap((order): [Order, string][] => {
    const key = keyIn(order, ordered)
    return key === undefined ? [] : [[order, key]]
  })
}

/** Where an animal is, as near places are looked for. */
export function placeTokenOf(publicPart: string | null, organizationId: unknown): string | undefined {
  const { place } = toPublicParts(null, publicPart) as Parts
  return placeTokens(place, organizationId).find((one) => AT_TOKENS.test(one))
}

const AT_TOKENS = new RegExp(`^(?:${AT}|${AT_ORGANIZATION}):`)

/** So much of a name decides its order; of names that are alike so far, the id does. */
const SORTED_CHARACTERS = 60

const nameKey = (name: string): string => [...fold(name)].slice(0, SORTED_CHARACTERS).join('')
/** As text in the order of time; what was never published is first. */
const timeKey = (ms: number | null): string => String(ms ?? 0).padStart(15, '0')
