import { type SqlBool, sql } from 'kysely'
import { pagesById } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { createEmailMatcher, isSameEmail } from '../http/text.ts'
import { TIME_NOT_KNOWN } from './known-time.ts'
import type { Order } from './schema.ts'
import { ORDER_COLUMNS, toOrder } from './store.ts'

/** The maximum number of adopters that one transaction erases. Other changes wait for the transaction. */
const BATCH_SIZE = 1_000

/**
 * Must be the exact text of the condition of the partial index adopter_by_close. Otherwise databases do not
 * use the index.
 */
const CLOSED_WITH_ADOPTER = sql<SqlBool>`adopter is not null and status in ('completed', 'cancelled')`

/** @returns true if a closed order still has an adopter, whose data must be erased later */
export async function hasClosedAdopters(db: Db): Promise<boolean> {
  const orders = db.selectFrom('adoption_order').select('id').where(CLOSED_WITH_ADOPTER).limit(1)
  return (await orders.executeTakeFirst()) !== undefined
}

const dueForErasure = (db: Db, closedBefore: number) =>
  db
    .selectFrom('adoption_order')
    .select('id')
    .where(CLOSED_WITH_ADOPTER)
    .where('decided_at', '<', closedBefore)

/** @param closedBefore Unix time in milliseconds */
export async function isErasureDue(db: Db, closedBefore: number): Promise<boolean> {
  return (await dueForErasure(db, closedBefore).limit(1).executeTakeFirst()) !== undefined
}

/**
 * Erases the adopters of one batch of closed orders.
 * @param closedBefore Unix time in milliseconds
 * @returns whether more adopters may be due
 */
export async function eraseAdopters(db: Db, closedBefore: number): Promise<boolean> {
  const due = dueForErasure(db, closedBefore).limit(BATCH_SIZE)
  const { numUpdatedRows } = await db
    .updateTable('adoption_order')
    .set({ adopter: null })
    .where('id', 'in', due)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) await markScrubDue(db)
  return numUpdatedRows === BigInt(BATCH_SIZE)
}

/**
 * Records that the store's files may still contain erased bytes.
 * @param ofAnimals true if erased bytes may also be in the tables of animals
 */
export async function markScrubDue(db: Db, ofAnimals = false): Promise<void> {
  const due = {
    scrub_due: sql<number>`known_time.scrub_due + 1`,
    ...(ofAnimals && { animals_scrub_due: 1 }),
  }
  await db
    .insertInto('known_time')
    .values({ ...TIME_NOT_KNOWN, scrub_due: 1, animals_scrub_due: ofAnimals ? 1 : 0 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(due))
    .execute()
}

/** @returns the number of erasures whose bytes may still be in the store's files */
export async function countUnscrubbed(db: Db): Promise<number> {
  const row = await db.selectFrom('known_time').select('scrub_due').executeTakeFirst()
  return row?.scrub_due ?? 0
}

/**
 * Records that the files were scrubbed. Does nothing if another erasure has happened since `count` was read.
 */
export async function clearScrubDue(db: Db, count: number): Promise<void> {
  const done = { scrub_due: 0, animals_scrub_due: 0 }
  await db.updateTable('known_time').set(done).where('scrub_due', '=', count).execute()
}

/**
 * Finds the orders whose adopter has an e-mail address, oldest first. Also finds the ids of other orders that
 * mention the address.
 */
export async function findOrdersOf(db: Db, email: string): Promise<{ own: Order[]; mentioning: number[] }> {
  const own: Order[] = []
  const mentioning: number[] = []
  const mentions = createEmailMatcher(email)
  const read = (after: number, limit: number) =>
    db
      .selectFrom('adoption_order')
      .select(ORDER_COLUMNS)
      .where('id', '>', after)
      .where('adopter', 'is not', null)
      .orderBy('id')
      .limit(limit)
      .execute()
  for await (const rows of pagesById(read)) {
    for (const order of rows.map(toOrder)) {
      if (isSameEmail(order.adopter?.email, email)) own.push(order)
      else if (mentions.occursIn(order.adopter)) mentioning.push(order.id)
    }
  }
  return { own, mentioning }
}

/** Erases an e-mail address from the adopters of other people's orders. */
export async function eraseMentions(db: Db, orderIds: number[], email: string): Promise<void> {
  const { eraseIn } = createEmailMatcher(email)
  const rows = db.selectFrom('adoption_order').select(['id', 'adopter']).where('id', 'in', orderIds)
  for (const { id, adopter } of await rows.execute()) {
    const after = JSON.stringify(eraseIn(JSON.parse(adopter ?? 'null')))
    const order = db.updateTable('adoption_order').set({ adopter: after }).where('id', '=', id)
    await order.where('adopter', 'is not', null).execute()
  }
}

/** Erases the adopters of the given orders that are closed. */
export async function eraseAdoptersOf(db: Db, orderIds: number[]): Promise<void> {
  await db
    .updateTable('adoption_order')
    .set({ adopter: null })
    .where('id', 'in', orderIds)
    .where(CLOSED_WITH_ADOPTER)
    .execute()
}
