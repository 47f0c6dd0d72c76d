import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { recordEvents } from '../events/log.ts'
import type { Caller } from '../http/caller.ts'
import type { NewOrder, Order, OrderQuery, OrderStatus } from './schema.ts'

/** The caller for whom orders are read. Determines which orders the caller sees. */
export interface Viewer {
  /** The id of the key. Null for the service itself, which sees all orders. */
  keyId: number | null
  /**
   * Admin keys, and staff of the whole installation, see all orders. Write keys of an organization see the
   * orders for its animals. All other keys see only the orders that they placed.
   */
  sees: 'all' | 'organization' | 'placed'
  organizationId?: number | undefined
}

export function viewerOf({ kind, id, access, organizationId }: Caller): Viewer {
  const mayChange = access === 'write' || access === 'admin'
  if (access === 'admin' || (kind === 'staff' && mayChange && organizationId === undefined))
    return { keyId: id, sees: 'all' }
  const forOrganization = mayChange && organizationId !== undefined
  return { keyId: id, organizationId, sees: forOrganization ? 'organization' : 'placed' }
}

/** A change of an order's status, and the viewer who makes the change. */
export interface Decision extends Viewer {
  /** The order. */
  id: number
  /** Unix time in milliseconds. */
  now: number
}

/** Restricts a query to the orders that a viewer may see. */
export function whereVisibleTo<Rows extends { where: (column: never, is: '=', value: never) => Rows }>(
  rows: Rows,
  { keyId, organizationId, sees }: { [Name in keyof Viewer]: Viewer[Name] },
): Rows {
  if (sees === 'all') return rows
  const [column, value] = sees === 'placed' ? ['placed_by', keyId] : ['organization_id', organizationId]
  return rows.where(column as never, '=', value as never)
}

export const ORDER_COLUMNS = [
  'id',
  'pet_id as petId',
  'also_pet_ids as alsoPetIds',
  'status',
  'adopter',
  'placed_at as placedAt',
  'decided_at as decidedAt',
] as const

export interface Row {
  id: number
  petId: number
  alsoPetIds: string | null
  status: string
  adopter: string | null
  placedAt: number
  decidedAt: number | null
}

/** @throws {ApiError} order_not_found, also for an order that the viewer may not see */
export async function get(db: Db, id: number, viewer: Viewer): Promise<Order> {
  const rows = db.selectFrom('adoption_order').select(ORDER_COLUMNS).where('id', '=', id)
  const row = await whereVisibleTo(rows, viewer).executeTakeFirst()
  if (!row) throw new ApiError('order_not_found')
  return toOrder(row)
}

/** Whether an open order has one of these animals. Pass a whole bond: `alsoPetIds` are not searched. */
export async function hasOpenOrder(db: Db, petIds: number[]): Promise<boolean> {
  const open = db
    .selectFrom('adoption_order')
    .select('id')
    .where('pet_id', 'in', petIds)
    .where('status', 'in', ['placed', 'approved'])
  return (await open.executeTakeFirst()) !== undefined
}

/** A query for a page. `after` is the id of the last order on the previous page. */
export type PageStart = Omit<OrderQuery, 'cursor'> & { after?: number | undefined }

/**
 * Lists orders, newest first. Returns up to `limit + 1` orders. If the extra order is present, a next page
 * exists.
 */
export async function list(db: Db, start: PageStart, viewer: Viewer): Promise<Order[]> {
  const orders = (await page(db, start, viewer).execute()).map(toOrder)
  if (start.petId === undefined) return orders
  // Runs two queries, because each can use an index. A single query would scan all orders.
  const others = (await page(db, { ...start, asOther: true }, viewer).execute()).map(toOrder)
  return [...orders, ...others].sort((one, other) => other.id - one.id).slice(0, start.limit + 1)
}

interface PageQuery extends PageStart {
  /** True to select the orders that have the animal in `alsoPetIds`, instead of in `petId`. */
  asOther?: true
}

/** Builds the queries of `list`. */
export function page(db: Db, { limit, status, petId, after, asOther }: PageQuery, viewer: Viewer) {
  let rows = db
    .selectFrom('adoption_order')
    .select(ORDER_COLUMNS)
    .orderBy('id', 'desc')
    .limit(limit + 1)
  rows = whereVisibleTo(rows, viewer)
  if (status) rows = rows.where('status', '=', status)
  if (petId !== undefined)
    rows = asOther
      ? rows.where('id', 'in', (eb) =>
          eb.selectFrom('adoption_order_pet').select('order_id').where('pet_id', '=', petId),
        )
      : rows.where('pet_id', '=', petId)
  if (after !== undefined) rows = rows.where('id', '<', after)
  return rows
}

/** The key that places an order, the organization of the animal, and the Unix time in milliseconds. */
interface Placing {
  keyId: number
  organizationId: number | undefined
  now: number
}

export async function insert(
  db: Db,
  { petId, alsoPetIds = [], adopter }: NewOrder,
  { keyId, organizationId, now }: Placing,
): Promise<Order> {
  const { name, email, phone, message } = adopter
  const row = await db
    .insertInto('adoption_order')
    .values({
      pet_id: petId,
      also_pet_ids: alsoPetIds.length > 0 ? JSON.stringify(alsoPetIds) : null,
      status: 'placed',
      adopter: JSON.stringify({ name, email, phone, message }),
      placed_by: keyId,
      organization_id: organizationId ?? null,
      placed_at: now,
    })
    .returning(ORDER_COLUMNS)
    .executeTakeFirstOrThrow()
  const others = alsoPetIds.map((pet_id) => ({ order_id: row.id, pet_id }))
  if (others.length > 0) await db.insertInto('adoption_order_pet').values(others).execute()
  const placed = toOrder(row)
  await recordOrderEvent(db, placed, { organizationId: organizationId ?? null }, now)
  return placed
}

async function recordOrderEvent(
  db: Db,
  { id, petId, status }: Order,
  { organizationId, from }: { organizationId: number | null; from?: OrderStatus },
  now: number,
): Promise<void> {
  const data = { orderId: id, petId, status: { ...(from && { from }), to: status } }
  await recordEvents(db, [{ type: `order.${status}`, audience: 'confidential', organizationId, data }], now)
}

/**
 * @returns `now` or the known time, whichever is later. If the clock is set back, orders therefore get no
 * earlier time
 */
export function atLeastKnownTime(now: number) {
  return sql<number>`(
    select max(at) from (select cast(${now} as bigint) as at union all select at from known_time) as times
  )`
}

/** Sets the status of a locked order. @throws {ApiError} order_not_found */
export async function update(db: Db, before: Order, status: OrderStatus, now: number): Promise<Order> {
  const row = await db
    .updateTable('adoption_order')
    .set({ status, decided_at: atLeastKnownTime(now) })
    .where('id', '=', before.id)
    .returning([...ORDER_COLUMNS, 'organization_id as organizationId'])
    .executeTakeFirst()
  if (!row) throw new ApiError('order_not_found')
  const order = toOrder(row)
  await recordOrderEvent(db, order, { organizationId: row.organizationId, from: before.status }, now)
  return order
}

export async function removeByOrganization(db: Db, organizationId: number): Promise<void> {
  const own = db.selectFrom('adoption_order').select('id').where('organization_id', '=', organizationId)
  await db.deleteFrom('adoption_order_pet').where('order_id', 'in', own).execute()
  await db.deleteFrom('adoption_order').where('organization_id', '=', organizationId).execute()
}

/**
 * Adds the adopter to an order from a stored result, which has no personal data. Adds nothing if the adopter
 * was erased.
 */
export async function withAdopter(db: Db, order: Order): Promise<Order> {
  if (order.adopter) return order
  const row = db.selectFrom('adoption_order').select('adopter').where('id', '=', order.id)
  const { adopter } = (await row.executeTakeFirst()) ?? {}
  return adopter ? { ...order, adopter: JSON.parse(adopter) } : order
}

export function toOrder({ id, petId, alsoPetIds, status, adopter, placedAt, decidedAt }: Row): Order {
  return {
    id,
    petId,
    ...(alsoPetIds === null ? {} : { alsoPetIds: JSON.parse(alsoPetIds) }),
    status: status as OrderStatus,
    placedAt: new Date(placedAt).toISOString(),
    ...(adopter === null ? {} : { adopter: JSON.parse(adopter) }),
    ...(decidedAt === null ? {} : { decidedAt: new Date(decidedAt).toISOString() }),
  }
}
