import { sql } from 'kysely'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { NewOrder, Order, OrderQuery, OrderStatus } from './schema.ts'

/** Who asks. */
export interface Viewer {
  /** Null for the service itself, which sees all. */
  keyId: number | null
  /**
   * An admin key all; one of an organization those of its animals; another those that it placed. Staff of the
   * whole installation see all: what one of them begins another one ends.
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

/** Who decides about which order, when (Unix time in milliseconds). */
export interface Decision extends Viewer {
  id: number
  now: number
}

/** The part of the orders that a viewer sees. */
export function ownOf<Rows extends { where: (column: never, is: '=', value: never) => Rows }>(
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

const findById = prepared<{ id: number } & Viewer, Row>(
  (db, fill, { sees }) => {
    const row = db.selectFrom('adoption_order').select(ORDER_COLUMNS).where('id', '=', fill('id'))
    const viewer = { keyId: fill('keyId'), organizationId: fill('organizationId'), sees }
    return ownOf(row, viewer)
  },
  ({ sees }) => sees,
)

/** @throws {ApiError} order_not_found, also for an order that the viewer may not see */
export async function get(db: Db, id: number, viewer: Viewer): Promise<Order> {
  const [row] = await findById(db, { id, ...viewer })
  if (!row) throw new ApiError('order_not_found')
  return toOrder(row)
}

/** Whether an order that is not closed is about one of these animals. */
export async function hasOpenOrder(db: Db, petIds: number[]): Promise<boolean> {
  const open = db
    .selectFrom('adoption_order')
    .select('id')
    .where('pet_id', 'in', petIds)
    .where('status', 'in', ['placed', 'approved'])
  return (await open.executeTakeFirst()) !== undefined
}

/** Where a page begins, as its cursor says. */
export type PageStart = Omit<OrderQuery, 'cursor'> & { after?: number | undefined }

/** Newest first after the place; one order more than asked for tells that there is a next page. */
export async function list(db: Db, start: PageStart, viewer: Viewer): Promise<Order[]> {
  const own = (await preparedPage(db, { ...start, ...viewer })).map(toOrder)
  if (start.petId === undefined) return own
  // Two searches of an index each, where one for both would have to look through all orders.
  const others = (await preparedPage(db, { ...start, ...viewer, asOther: true })).map(toOrder)
  return [...own, ...others].sort((one, other) => other.id - one.id).slice(0, start.limit + 1)
}

interface Searched extends PageStart {
  /** Orders that take the animal beside another. */
  asOther?: true
}

/** The queries of `list`. */
export function page(db: Db, { limit, status, petId, after, asOther }: Searched, viewer: Viewer) {
  let rows = db
    .selectFrom('adoption_order')
    .select(ORDER_COLUMNS)
    .orderBy('id', 'desc')
    .limit(sql<number>`${limit} + 1`)
  rows = ownOf(rows, viewer)
  if (status) rows = rows.where('status', '=', status)
  if (petId !== undefined && !asOther) rows = rows.where('pet_id', '=', petId)
  if (petId !== undefined && asOther) rows = rows.where('id', 'in', takenBeside(db, petId))
  if (after !== undefined) rows = rows.where('id', '<', after)
  return rows
}

function takenBeside(db: Db, petId: number) {
  return db.selectFrom('adoption_order_pet').select('order_id').where('pet_id', '=', petId)
}

const preparedPage = prepared<Searched & Viewer, Row>(
  (db, fill, { status, petId, after, asOther, sees }) => {
    const given = {
      ...(status && { status: fill('status') }),
      ...(petId !== undefined && { petId: fill('petId') }),
      ...(after !== undefined && { after: fill('after') }),
    }
    return page(
      db,
      { limit: fill('limit'), ...given, ...(asOther && { asOther }) },
      {
        keyId: fill('keyId'),
        organizationId: fill('organizationId'),
        sees,
      },
    )
  },
  ({ status, petId, after, asOther, sees }) =>
    `${status !== undefined} ${petId !== undefined} ${after !== undefined} ${asOther} ${sees}`,
)

/** By whom, for whose animal, and when (Unix time in milliseconds). */
interface Placing {
  keyId: number
  organizationId: number | undefined
  now: number
}

type Inserted = Omit<Placing, 'organizationId'> & {
  organizationId: number | null
  petId: number
  alsoPetIds: string | null
  adopter: string
}

const insertPlaced = prepared<Inserted, Row>((db, fill) =>
  db
    .insertInto('adoption_order')
    .values({
      pet_id: fill('petId'),
      also_pet_ids: fill('alsoPetIds'),
      status: 'placed',
      adopter: fill('adopter'),
      placed_by: fill('keyId'),
      organization_id: fill('organizationId'),
      placed_at: fill('now'),
    })
    .returning(ORDER_COLUMNS),
)

export async function insert(db: Db, order: NewOrder, placing: Placing): Promise<Order> {
  const { name, email, phone, message } = order.adopter
  const adopter = JSON.stringify({ name, email, phone, message })
  const organizationId = placing.organizationId ?? null
  const { petId } = order
  const alsoPetIds = order.alsoPetIds ? JSON.stringify(order.alsoPetIds) : null
  const [row] = await insertPlaced(db, { ...placing, organizationId, petId, alsoPetIds, adopter })
  const placed = toOrder(row as Row)
  const others = (placed.alsoPetIds ?? []).map((id) => ({ order_id: placed.id, pet_id: id }))
  if (others.length > 0) await db.insertInto('adoption_order_pet').values(others).execute()
  return placed
}

type Decided = { id: number; from: OrderStatus; to: OrderStatus; now: number }

/** A clock that was set back would let a closed order look older than it is. */
export function atLeastKnownTime(now: number) {
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

/** Of an organization that goes with all that belongs to it. */
export async function removeOfOrganization(db: Db, organizationId: number): Promise<void> {
  const own = db.selectFrom('adoption_order').select('id').where('organization_id', '=', organizationId)
  await db.deleteFrom('adoption_order_pet').where('order_id', 'in', own).execute()
  await db.deleteFrom('adoption_order').where('organization_id', '=', organizationId).execute()
}

/** A kept result has no adopter: it is that of the order, as long as that has one. */
export async function withAdopter(db: Db, order: Order): Promise<Order> {
  if (order.adopter) return order
  const kept = db.selectFrom('adoption_order').select('adopter').where('id', '=', order.id)
  const { adopter } = (await kept.executeTakeFirst()) ?? {}
  return adopter ? { ...order, adopter: JSON.parse(adopter) } : order
}

/** An order that nobody decided about has no such time, and one whose adopter was erased no adopter. */
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
