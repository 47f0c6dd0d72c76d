import { sql } from 'kysely'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { Order, OrderQuery } from './schema.ts'
import { ORDER_COLUMNS, ownOf, type Row, toOrder, type Viewer } from './store.ts'

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

function takenBeside(db: Db, petId: number | bigint) {
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
        organizationId: fill('organizationId') as never,
        sees,
      },
    )
  },
  ({ status, petId, after, asOther, sees }) =>
    `${status !== undefined} ${petId !== undefined} ${after !== undefined} ${asOther} ${sees}`,
)
