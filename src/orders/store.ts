import { sql } from 'kysely'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { NewOrder, Order, OrderQuery, OrderStatus } from './schema.ts'

/** Who asks: a key sees the orders that it placed, an admin key all. */
export interface Viewer {
  keyId: number
  seesAll: boolean
}

const ORDER_COLUMNS = [
  'id',
  'pet_id as petId',
  'status',
  'adopter',
  'placed_at as placedAt',
  'decided_at as decidedAt',
] as const

type Row = [
  id: number,
  petId: number | bigint,
  status: string,
  adopter: string | null,
  placedAt: number,
  decidedAt: number | null,
]

/** Where a page begins, as its cursor says. */
export type PageStart = Omit<OrderQuery, 'cursor'> & { after?: number | undefined }

/** Newest first after the place; one order more than asked for tells that there is a next page. */
export async function list(db: Db, start: PageStart, viewer: Viewer): Promise<Order[]> {
  return (await preparedPage(db, { ...start, ...viewer })).map(toOrder)
}

/** The query of `list`. */
export function page(db: Db, { limit, status, petId, after }: PageStart, { keyId, seesAll }: Viewer) {
  let rows = db
    .selectFrom('adoption_order')
    .select(ORDER_COLUMNS)
    .orderBy('id', 'desc')
    .limit(sql<number>`${limit} + 1`)
  if (!seesAll) rows = rows.where('placed_by', '=', keyId)
  if (status) rows = rows.where('status', '=', status)
  if (petId !== undefined) rows = rows.where('pet_id', '=', petId)
  if (after !== undefined) rows = rows.where('id', '<', after)
  return rows
}

const preparedPage = prepared<PageStart & Viewer, Row>(
  (db, fill, { status, petId, after, seesAll }) => {
    const given = {
      ...(status && { status: fill('status') }),
      ...(petId !== undefined && { petId: fill('petId') }),
      ...(after !== undefined && { after: fill('after') }),
    }
    return page(db, { limit: fill('limit'), ...given }, { keyId: fill('keyId'), seesAll })
  },
  ({ status, petId, after, seesAll }) =>
    `${status !== undefined} ${petId !== undefined} ${after !== undefined} ${seesAll}`,
)

const findById = prepared<{ id: bigint } & Viewer, Row>(
  (db, fill, { seesAll }) => {
    const row = db
      .selectFrom('adoption_order')
      .select(ORDER_COLUMNS)
      .where('id', '=', fill('id') as never)
    return seesAll ? row : row.where('placed_by', '=', fill('keyId'))
  },
  ({ seesAll }) => String(seesAll),
)

/** @throws {ApiError} order_not_found, also for an order that the viewer may not see */
export async function get(db: Db, id: bigint, viewer: Viewer): Promise<Order> {
  const [row] = await findById(db, { id, ...viewer })
  if (!row) throw new ApiError('order_not_found')
  return toOrder(row)
}

type Inserted = { petId: number | bigint; adopter: string; keyId: number; now: number }

const insertPlaced = prepared<Inserted, Row>((db, fill) =>
  db
    .insertInto('adoption_order')
    .values({
      pet_id: fill('petId') as never,
      status: 'placed',
      adopter: fill('adopter'),
      placed_by: fill('keyId'),
      placed_at: fill('now'),
    })
    .returning(ORDER_COLUMNS),
)

export async function insert(db: Db, order: NewOrder, keyId: number, now: number): Promise<Order> {
  const { name, email, phone, message } = order.adopter
  const adopter = JSON.stringify({ name, email, phone, message })
  const [row] = await insertPlaced(db, { petId: order.petId, adopter, keyId, now })
  return toOrder(row as Row)
}

type Decided = { id: number; from: OrderStatus; to: OrderStatus; now: number }

/** A clock that was set back would let a closed order look older than it is. */
function atLeastKnownTime(now: number) {
  return sql<number>`(
    select max(at) from (select cast(${now} as bigint) as at union all select at from known_time) as times
  )`
}

const updateFrom = prepared<Decided, Row>((db, fill) =>
  db
    .updateTable('adoption_order')
    .set({ status: fill('to'), decided_at: atLeastKnownTime(fill('now')) })
    .where('id', '=', fill('id'))
    .where('status', '=', fill('from'))
    .returning(ORDER_COLUMNS),
)

/** @returns undefined when the order no longer has the status that it had `before` */
export async function update(
  db: Db,
  before: Order,
  status: OrderStatus,
  now: number,
): Promise<Order | undefined> {
  const [row] = await updateFrom(db, { id: before.id, from: before.status, to: status, now })
  return row && toOrder(row)
}

/** A kept result has no adopter: it is that of the order, as long as that has one. */
export async function withAdopter(db: Db, order: Order): Promise<Order> {
  if (order.adopter) return order
  const kept = db.selectFrom('adoption_order').select('adopter').where('id', '=', order.id)
  const { adopter } = (await kept.executeTakeFirst()) ?? {}
  return adopter ? { ...order, adopter: JSON.parse(adopter) } : order
}

/** An order that nobody decided about has no such time, and one whose adopter was erased no adopter. */
function toOrder([id, petId, status, adopter, placedAt, decidedAt]: Row): Order {
  return {
    id,
    petId: Number(petId),
    status: status as OrderStatus,
    placedAt: new Date(placedAt).toISOString(),
    ...(adopter === null ? {} : { adopter: JSON.parse(adopter) }),
    ...(decidedAt === null ? {} : { decidedAt: new Date(decidedAt).toISOString() }),
  }
}
