import { type SqlBool, sql } from 'kysely'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { inSteps, type Job } from '../jobs/job.ts'
import * as adopters from '../orders/adopters.ts'
import { advance } from '../orders/known-time.ts'
import type { Order } from '../orders/schema.ts'
import { APPLICATION_COLUMNS, decided, type Stored, toStored } from './store.ts'

// People who adopt or apply: what is stored of them is found by their e-mail address, and is erased when they
// ask for it, or some time after their orders and applications were closed.

const DAY_MS = 86_400_000

/** This many are erased in one transaction: other changes wait for it. */
const MAX_ERASED = 1_000

/** The condition of the index applicant_by_close; the database would not find the index by other words. */
const CLOSED_WITH_APPLICANT = sql<SqlBool>`applicant is not null and closed_at is not null`

/** All that may tell who the applicant was, with the hash of their private link. */
const ERASED = { applicant: null, note: null, reply: null, link_hash: null }

/** The job that erases people, and then the bytes that they left in the files of the store. */
export const erasure: Job = {
  async isDue(context) {
    const { db } = context
    const closedBefore = await erasedBefore(context)
    return (
      (await adopters.hasErasable(db, closedBefore)) ||
      (await dueForErasure(db, closedBefore).limit(1).executeTakeFirst()) !== undefined ||
      (await adopters.countUnscrubbed(db)) > 0
    )
  },
  async run(context, mayGoOn) {
    const { db, write, scrub } = context
    const closedBefore = await erasedBefore(context)
    await inSteps(() => write(changes.eraseAdopters, closedBefore), mayGoOn)
    await inSteps(() => write(changes.eraseApplicants, closedBefore), mayGoOn)
    const unscrubbed = await adopters.countUnscrubbed(db)
    if (unscrubbed === 0 || !(await mayGoOn())) return
    await scrub()
    await write(changes.scrubbed, unscrubbed)
  },
}

/** Moves on once a day (UTC): to scrub the store after an erasure takes as long as to write all of it. */
async function erasedBefore({ config, clock, knownTime }: Context): Promise<number> {
  const today = Math.floor(Math.min(await knownTime(), clock()) / DAY_MS) * DAY_MS
  return today - config.adopterDataDays * DAY_MS
}

const dueForErasure = (db: Db, closedBefore: number) =>
  db.selectFrom('application').select('id').where(CLOSED_WITH_APPLICANT).where('closed_at', '<', closedBefore)

/**
 * Erases the applicants of applications that were closed before a Unix time in milliseconds. An open
 * application is not erased: it is closed with its animal at the latest.
 *
 * @returns whether there are more
 */
export async function eraseApplicants(db: Db, closedBefore: number): Promise<boolean> {
  const due = dueForErasure(db, closedBefore).limit(MAX_ERASED)
  const { numUpdatedRows } = await db
    .updateTable('application')
    .set(ERASED)
    .where('id', 'in', due)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) await adopters.scrubIsDue(db)
  return numUpdatedRows === BigInt(MAX_ERASED)
}

/**
 * Moves on the time that the store knows has passed (decision 13).
 *
 * @param now what the clock of the machine says, Unix time in milliseconds
 * @param seen what this process knew last, and the time that passed since; absent in its first round
 * @returns the time that is known now
 */
export async function advanceKnownTime(db: Db, now: number, seen?: number): Promise<number> {
  const waiting = db.selectFrom('application').select('id').where(CLOSED_WITH_APPLICANT).limit(1)
  const anyWaits = (await adopters.waitsForErasure(db)) || (await waiting.executeTakeFirst()) !== undefined
  return advance(db, now, seen, anyWaits)
}

/** All orders and applications that are stored with an e-mail address. */
export interface Person {
  orders: Order[]
  applications: Stored[]
}

/** This many rows are read at a time. */
const PAGE_SIZE = 1_000

/** @param email in upper or lower case, whatever the person used */
export async function findPerson(db: Db, email: string): Promise<Person> {
  return { orders: await adopters.ordersOf(db, email), applications: await applicationsOf(db, email) }
}

async function applicationsOf(db: Db, email: string): Promise<Stored[]> {
  const found: Stored[] = []
  let after = 0
  for (;;) {
    const rows = await db
      .selectFrom('application')
      .select(APPLICATION_COLUMNS)
      .where('id', '>', after)
      .where(sql<SqlBool>`applicant is not null`)
      .orderBy('id')
      .limit(PAGE_SIZE)
      .execute()
    const applications = rows.map(toStored)
    found.push(
      ...applications.filter(({ personal }) => adopters.isSameEmail(personal?.applicant.email, email)),
    )
    if (rows.length < PAGE_SIZE) return found
    after = rows.at(-1)?.id ?? after
  }
}

/** The ids of orders and applications of one person. */
interface Traces {
  orders: number[]
  applications: number[]
}

/**
 * Erases a person at once. Open applications are withdrawn; an order keeps its adopter while it is open.
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
