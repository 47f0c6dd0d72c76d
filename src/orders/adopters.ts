import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/tables.ts'
import type { Order } from './schema.ts'
import { ORDER_COLUMNS, toOrder } from './store.ts'

/** This many are erased in one transaction: other changes wait for it. */
const MAX_ERASED = 1_000

/** The condition of the index adopter_by_close, in its own words: others would not find it. */
const CLOSED_WITH_ADOPTER = sql<SqlBool>`adopter is not null and status in ('completed', 'cancelled')`

/** Whether there is an adopter who is to be erased one day. */
export async function waitsForErasure(db: Db): Promise<boolean> {
  const waiting = db.selectFrom('adoption_order').select('id').where(CLOSED_WITH_ADOPTER).limit(1)
  return (await waiting.executeTakeFirst()) !== undefined
}

const dueForErasure = (db: Db, closedBefore: number) =>
  db
    .selectFrom('adoption_order')
    .select('id')
    .where(CLOSED_WITH_ADOPTER)
    .where('decided_at', '<', closedBefore)

/** @param closedBefore Unix time in milliseconds */
export async function hasErasable(db: Db, closedBefore: number): Promise<boolean> {
  return (await dueForErasure(db, closedBefore).limit(1).executeTakeFirst()) !== undefined
}

/**
 * Erases who the adopters were in orders that were closed before a Unix time in milliseconds.
 *
 * @returns whether there are more
 */
export async function eraseAdopters(db: Db, closedBefore: number): Promise<boolean> {
  const due = dueForErasure(db, closedBefore).limit(MAX_ERASED)
  const { numUpdatedRows } = await db
    .updateTable('adoption_order')
    .set({ adopter: null })
    .where('id', 'in', due)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) await scrubIsDue(db)
  return numUpdatedRows === BigInt(MAX_ERASED)
}

/** Something was erased, of which the files of the store may still hold bytes. */
export async function scrubIsDue(db: Db): Promise<void> {
  await db.updateTable('known_time').set({ scrub_due: sql`scrub_due + 1` }).execute()
}

/** @returns how many erasures there were of which the files of the store may still hold bytes */
export async function countUnscrubbed(db: Db): Promise<number> {
  const known = await db.selectFrom('known_time').select('scrub_due').executeTakeFirst()
  return known?.scrub_due ?? 0
}

/** Of so many erasures no byte is left; one that came meanwhile waits for the next time. */
export async function scrubbed(db: Db, count: number): Promise<void> {
  await db.updateTable('known_time').set({ scrub_due: 0 }).where('scrub_due', '=', count).execute()
}

/** This many rows are read at a time. */
const PAGE_SIZE = 1_000

export function isSameEmail(stored: string | undefined, email: string): boolean {
  return stored?.toLowerCase() === email.toLowerCase()
}

/** Every order whose adopter has this e-mail address, oldest first. */
export async function ordersOf(db: Db, email: string): Promise<Order[]> {
  const found: Order[] = []
  let after = 0
  for (;;) {
    const rows = await db
      .selectFrom('adoption_order')
      .select(ORDER_COLUMNS)
      .where('id', '>', after)
      .where('adopter', 'is not', null)
      .orderBy('id')
      .limit(PAGE_SIZE)
      .execute()
    const orders = rows.map(toOrder)
    found.push(...orders.filter(({ adopter }) => isSameEmail(adopter?.email, email)))
    if (rows.length < PAGE_SIZE) return found
    after = rows.at(-1)?.id ?? after
  }
}

/** Erases who the adopters were in these orders, as far as they are closed. */
export async function eraseFrom(db: Db, orderIds: number[]): Promise<void> {
  await db
    .updateTable('adoption_order')
    .set({ adopter: null })
    .where('id', 'in', orderIds)
    .where(CLOSED_WITH_ADOPTER)
    .execute()
}
