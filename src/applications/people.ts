import { type SqlBool, sql } from 'kysely'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { findStoredScopes, replaceResults } from '../db/once.ts'
import { pagesById } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { createEmailMatcher, isSameEmail } from '../http/text.ts'
import { type Job, runInSteps } from '../jobs/job.ts'
import * as adopters from '../orders/adopters.ts'
import { advance } from '../orders/known-time.ts'
import type { Order } from '../orders/schema.ts'
import { eraseFromResult, eraseTraces, findTraces, type PetTraces } from '../pets/traces.ts'
import { removeQueued } from './outbox.ts'
import {
  APPLICATION_COLUMNS,
  CHANGED_COLUMNS,
  decisionColumns,
  recordApplicationEvents,
  type StoredApplication,
  toStored,
} from './store.ts'

// Finds and erases the data of adopters and applicants. This happens on request, by e-mail address, and some
// time after their orders and applications were closed.

const DAY_MS = 86_400_000

/**
 * The maximum number of applications that one transaction erases, because other changes wait for the
 * transaction.
 */
const ERASE_BATCH_SIZE = 1_000

/**
 * Must be the exact text of the condition of the index applicant_by_close, because databases compare the
 * texts.
 */
const CLOSED_WITH_APPLICANT = sql<SqlBool>`applicant is not null and closed_at is not null`

/** Erases the columns that may identify the applicant, and the private link. */
const ERASED = { applicant: null, note: null, reply: null, link_hash: null, language: null }

/**
 * The job that erases people. It then scrubs the files of the store, so no bytes of the erased data remain.
 */
export const erasure: Job = {
  async isDue(context) {
    const { db } = context
    const closedBefore = await erasureCutoff(context)
    return (
      (await adopters.isErasureDue(db, closedBefore)) ||
      (await selectErasable(db, closedBefore).limit(1).executeTakeFirst()) !== undefined ||
      (await adopters.countUnscrubbed(db)) > 0
    )
  },
  async run(context, mayContinue) {
    const { db, write, scrub } = context
    const closedBefore = await erasureCutoff(context)
    await runInSteps(() => write(changes.eraseAdopters, closedBefore), mayContinue)
    await runInSteps(() => write(changes.eraseApplicants, closedBefore), mayContinue)
    const unscrubbed = await adopters.countUnscrubbed(db)
    if (unscrubbed === 0 || !(await mayContinue())) return
    await scrub()
    await write(changes.markScrubbed, unscrubbed)
  },
}

/**
 * The time up to which people are erased. It changes once a day (UTC), because a scrub after an erasure may
 * rewrite the whole store.
 */
async function erasureCutoff({ config, clock, knownTime }: Context): Promise<number> {
  const today = Math.floor(Math.min(await knownTime(), clock()) / DAY_MS) * DAY_MS
  return today - config.adopterDataDays * DAY_MS
}

const selectErasable = (db: Db, closedBefore: number) =>
  db.selectFrom('application').select('id').where(CLOSED_WITH_APPLICANT).where('closed_at', '<', closedBefore)

/**
 * Erases the applicants of closed applications. An open application keeps its applicant. When its animal is
 * adopted or removed, the application is closed too.
 * @param closedBefore Unix time in milliseconds
 * @returns whether more remain
 */
export async function eraseApplicants(db: Db, closedBefore: number): Promise<boolean> {
  const due = selectErasable(db, closedBefore).limit(ERASE_BATCH_SIZE)
  const erased = await db
    .updateTable('application')
    .set(ERASED)
    .where('id', 'in', due)
    .returning('id')
    .execute()
  const ids = erased.map(({ id }) => id)
  await removeQueued(db, ids)
  if (ids.length > 0) await adopters.markScrubDue(db)
  return ids.length === ERASE_BATCH_SIZE
}

/**
 * Advances the known time of the store. The known time increases only by time that has really passed
 * (decision 13).
 * @param now Unix time in milliseconds, by the clock of the machine
 * @param seen the last known time in this process plus the time since then; absent in its first round
 * @returns the new known time
 */
export async function advanceKnownTime(db: Db, now: number, seen?: number): Promise<number> {
  const waiting = db.selectFrom('application').select('id').where(CLOSED_WITH_APPLICANT).limit(1)
  const hasErasableLater =
    (await adopters.hasClosedAdopters(db)) || (await waiting.executeTakeFirst()) !== undefined
  return advance(db, now, seen, hasErasableLater)
}

/** Everything that is stored about the person with an e-mail address. */
export interface PersonRecords {
  orders: Order[]
  applications: StoredApplication[]
  animals: PetTraces[]
  /**
   * Other records that mention the address: orders, applications, and stored results of requests. Results are
   * identified by scope.
   */
  mentioning: { orders: number[]; applications: number[]; results: string[] }
}

/** Finds everything that is stored about a person. @param email the address, in any case */
export async function findPerson(db: Db, email: string): Promise<PersonRecords> {
  const orders = await adopters.findOrdersOf(db, email)
  const applications = await applicationsOf(db, email)
  const animals = await findTraces(db, email)
  const petIds = new Set(animals.map(({ petId }) => petId))
  const results = await findStoredScopes(db, (text) => eraseFromResult(text, email, petIds) !== text)
  return {
    ...{ orders: orders.own, applications: applications.own, animals },
    mentioning: { orders: orders.mentioning, applications: applications.mentioning, results },
  }
}

async function applicationsOf(
  db: Db,
  email: string,
): Promise<{ own: StoredApplication[]; mentioning: number[] }> {
  const own: StoredApplication[] = []
  const mentioning: number[] = []
  const mentions = createEmailMatcher(email)
  const read = (after: number, limit: number) =>
    db
      .selectFrom('application')
      .select(APPLICATION_COLUMNS)
      .where('id', '>', after)
      .where(sql<SqlBool>`applicant is not null`)
      .orderBy('id')
      .limit(limit)
      .execute()
  for await (const rows of pagesById(read)) {
    for (const application of rows.map(toStored)) {
      if (isSameEmail(application.personal?.applicant.email, email)) own.push(application)
      else if (mentions.occursIn(application.personal)) mentioning.push(application.id)
    }
  }
  return { own, mentioning }
}

/** The records to erase for a person: their ids, and for stored results their scopes. */
interface ErasureTargets {
  email: string
  orders: number[]
  applications: number[]
  /** All animals that contain personal data of the person. */
  petIds: number[]
  /** The animals whose personal data is erased in this step. */
  animals: number[]
  mentioning: PersonRecords['mentioning']
}

/**
 * Erases a person immediately, and withdraws the person's open applications. Open orders keep their adopter.
 */
export async function erasePerson(db: Db, traces: ErasureTargets, now: number): Promise<void> {
  const { email, orders, applications, animals, petIds, mentioning } = traces
  if (orders.length > 0) await adopters.eraseAdoptersOf(db, orders)
  if (applications.length > 0) {
    const ownApplications = db.updateTable('application').where('id', 'in', applications)
    const withdrawn = await ownApplications
      .set(decisionColumns({ status: 'withdrawn' }, { keyId: null, now }))
      .where('status', 'in', ['received', 'in_review'])
      .returning(CHANGED_COLUMNS)
      .execute()
    await recordApplicationEvents(db, 'application.decided', withdrawn, { now })
    await ownApplications.set(ERASED).where(CLOSED_WITH_APPLICANT).execute()
    await removeQueued(db, applications)
  }
  for (const petId of animals) await eraseTraces(db, petId, email, now)
  if (mentioning.orders.length > 0) await adopters.eraseMentions(db, mentioning.orders, email)
  if (mentioning.applications.length > 0) await eraseMentions(db, mentioning.applications, email)
  const withoutPerson = (result: string) => eraseFromResult(result, email, new Set(petIds))
  if (mentioning.results.length > 0) await replaceResults(db, mentioning.results, withoutPerson)
  await adopters.markScrubDue(db, animals.length > 0)
}

async function eraseMentions(db: Db, applicationIds: number[], email: string): Promise<void> {
  const { eraseIn } = createEmailMatcher(email)
  const columns = ['id', 'applicant', 'note', 'reply'] as const
  const rows = await db.selectFrom('application').select(columns).where('id', 'in', applicationIds).execute()
  for (const { id, applicant, note, reply } of rows) {
    const after = { note: eraseIn(note), reply: eraseIn(reply) }
    await db
      .updateTable('application')
      .set({ ...after, applicant: JSON.stringify(eraseIn(JSON.parse(applicant ?? 'null'))) })
      .where('id', '=', id)
      .where('applicant', 'is not', null)
      .execute()
  }
}
