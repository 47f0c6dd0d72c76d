import { type SqlBool, sql } from 'kysely'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import * as adopters from '../orders/adopters.ts'
import type { Erasable } from '../orders/erasure.ts'
import * as known from '../orders/known-time.ts'
import { decided } from './store.ts'

/** So many at most are erased in one transaction, which other changes wait for. */
const MOST_ERASED = 1_000

/** The condition of the index applicant_by_close, in its own words: others would not find it. */
const CLOSED_WITH_APPLICANT = sql<SqlBool>`applicant is not null and closed_at is not null`

/** All that may tell who it was, with the link by which they looked. */
const ERASED = { applicant: null, note: null, reply: null, link_hash: null }

const dueForErasure = (db: Db, closedBefore: number) =>
  db.selectFrom('application').select('id').where(CLOSED_WITH_APPLICANT).where('closed_at', '<', closedBefore)

/** Those who applied. What is open is not erased: it is closed with its animal at the latest. */
export const applicants: Erasable = {
  async hasErasable(db, closedBefore) {
    return (await dueForErasure(db, closedBefore).limit(1).executeTakeFirst()) !== undefined
  },
  erase: (write, closedBefore) => write(changes.eraseApplicants, closedBefore),
}

/**
 * Erases who applied where nothing is to come of it since before a Unix time in milliseconds.
 *
 * @returns whether there are more
 */
export async function eraseApplicants(db: Db, closedBefore: number): Promise<boolean> {
  const due = dueForErasure(db, closedBefore).limit(MOST_ERASED)
  const { numUpdatedRows } = await db
    .updateTable('application')
    .set(ERASED)
    .where('id', 'in', due)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) await adopters.scrubIsDue(db)
  return numUpdatedRows === BigInt(MOST_ERASED)
}

/** Orders and applications of one person, by their ids. */
export interface Traces {
  orders: number[]
  applications: number[]
}

/**
 * Erases somebody who asks for it, at once. What is open of their applications is withdrawn with it; of what
 * an open order holds nothing is erased.
 */
export async function erasePerson(db: Db, { orders, applications }: Traces, now: number): Promise<void> {
  if (orders.length > 0) await adopters.eraseFrom(db, orders)
  if (applications.length > 0) {
    const theirs = db.updateTable('application').where('id', 'in', applications)
    await theirs
      .set(decided({ status: 'withdrawn' }, { keyId: null, now }))
      .where('status', 'in', ['received', 'in_review'])
      .execute()
    await theirs.set(ERASED).where(CLOSED_WITH_APPLICANT).execute()
  }
  await adopters.scrubIsDue(db)
}

async function waitsForErasure(db: Db): Promise<boolean> {
  if (await adopters.waitsForErasure(db)) return true
  const waiting = db.selectFrom('application').select('id').where(CLOSED_WITH_APPLICANT).limit(1)
  return (await waiting.executeTakeFirst()) !== undefined
}

/** As `known.advanceKnownTime`. */
export const advanceKnownTime = (db: Db, now: number, seen?: number): Promise<number> =>
  known.advanceKnownTime(db, now, seen, waitsForErasure)
