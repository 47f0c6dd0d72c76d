import type { Selectable } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import type { Db, Tables } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { recordEvents } from '../events/log.ts'
import type { EventType } from '../events/schema.ts'
import { hashToken } from '../http/token.ts'
import type { Order } from '../orders/schema.ts'
import { atLeastKnownTime, type Viewer, whereVisibleTo } from '../orders/store.ts'
import * as pets from '../pets/store.ts'
import { queueDecisions } from './outbox.ts'
import type { Answers, Applicant, Application, ApplicationStatus, Reason } from './schema.ts'

/** The personal data of an application, which is erased later. */
export interface PersonalData {
  applicant: Applicant
  message?: string
  answers?: Answers
  note?: string
  reply?: string
}

/**
 * An application as changes return it. It has no personal data, because the store must not keep personal data
 * in the results of requests.
 */
export interface StoredApplication extends Omit<Application, keyof PersonalData> {
  /** Absent after the erasure. */
  personal?: PersonalData
  /** Unix time in milliseconds; null until the application is closed. */
  closedAt: number | null
}

export function toApplication({ personal, closedAt: _, ...application }: StoredApplication): Application {
  return { ...application, ...personal }
}

export const APPLICATION_COLUMNS = [
  'id',
  'pet_id',
  'status',
  'reason',
  'applicant',
  'note',
  'reply',
  'received_at',
  'decided_at',
  'decided_by',
  'closed_at',
  'order_id',
] as const
type Row = Pick<Selectable<Tables['application']>, (typeof APPLICATION_COLUMNS)[number]>

export function toStored(row: Row): StoredApplication {
  return {
    id: row.id,
    petId: row.pet_id,
    status: row.status as ApplicationStatus,
    ...(row.reason !== null && { reason: row.reason }),
    receivedAt: new Date(row.received_at).toISOString(),
    ...(row.decided_at !== null && { decidedAt: new Date(row.decided_at).toISOString() }),
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    ...(row.order_id !== null && { orderId: row.order_id }),
    ...(row.applicant !== null && { personal: personalOf(row as Row & { applicant: string }) }),
    closedAt: row.closed_at,
  }
}

function personalOf({ applicant, note, reply }: Row & { applicant: string }): PersonalData {
  return {
    ...(JSON.parse(applicant) as PersonalData),
    ...(note !== null && { note }),
    ...(reply !== null && { reply }),
  }
}

const selectVisible = (db: Db, id: number, viewer: Viewer) =>
  whereVisibleTo(db.selectFrom('application').select(APPLICATION_COLUMNS).where('id', '=', id), viewer)

/** @throws {ApiError} application_not_found, also for an application that the viewer may not see */
export async function get(db: Db, id: number, viewer: Viewer): Promise<StoredApplication> {
  const row = await selectVisible(db, id, viewer).executeTakeFirst()
  if (!row) throw new ApiError('application_not_found')
  return toStored(row)
}

/** Like `get`, but locks the application, and before it all applications for its animal; for a change. */
export async function getLocked(
  db: Db,
  { id, petId }: Pick<StoredApplication, 'id' | 'petId'>,
  viewer: Viewer,
): Promise<StoredApplication> {
  await lockBondApplications(db, petId)
  const row = await dialectOf(db)
    .lockRows(selectVisible(db, id, viewer), 'wait')
    .executeTakeFirst()
  if (!row) throw new ApiError('application_not_found')
  return toStored(row)
}

export async function findByHash(db: Db, linkHash: string): Promise<StoredApplication | undefined> {
  const rows = db.selectFrom('application').select(APPLICATION_COLUMNS).where('link_hash', '=', linkHash)
  const row = await rows.executeTakeFirst()
  return row && toStored(row)
}

/**
 * Finds the application of a private link. Looks up the hash of the token, so the time of the lookup reveals
 * nothing about tokens.
 */
export async function findByToken(db: Db, token: string): Promise<StoredApplication | undefined> {
  const linkHash = hashToken(token)
  return linkHash === undefined ? undefined : findByHash(db, linkHash)
}

/** The part of an application that the applicant may see. Times are ISO 8601 texts in UTC. */
export interface ApplicantView {
  id: number
  petId: number
  /** Absent when the record of the animal was removed. */
  petName?: string
  status: ApplicationStatus
  reason?: string
  receivedAt: string
  decidedAt?: string
  /** The message of staff to the applicant. */
  reply?: string
  /** True while the applicant may withdraw the application. */
  mayWithdraw: boolean
}

/**
 * Finds the application of a private link, for the applicant.
 * @returns undefined if there is none, or if it was erased
 */
export async function findByLink(db: Db, token: string): Promise<ApplicantView | undefined> {
  const application = await findByToken(db, token)
  if (!application) return undefined
  const { id, petId, status, reason, receivedAt, decidedAt, personal, closedAt } = application
  const petName = (await pets.find(db, petId))?.pet.name
  return {
    ...{ id, petId, status, receivedAt },
    ...(petName !== undefined && { petName }),
    ...(reason !== undefined && { reason }),
    ...(decidedAt !== undefined && { decidedAt }),
    ...(personal?.reply !== undefined && { reply: personal.reply }),
    mayWithdraw: closedAt === null,
  }
}

/**
 * Adds the personal data to a stored result, which has none. Reads the data from the row. Adds nothing if the
 * data was erased, or if the viewer may no longer see it because the animal has moved to another
 * organization.
 */
export async function withPersonal(
  db: Db,
  application: StoredApplication,
  viewer: Viewer,
): Promise<StoredApplication> {
  if (application.personal) return application
  const row = await selectVisible(db, application.id, viewer).executeTakeFirst()
  const personal = row && toStored(row).personal
  return { ...application, ...(personal && { personal }) }
}

/**
 * Locks the applications and orders for animals until the end of the transaction. No other transaction can
 * then add or decide applications for these animals, or decide their orders. Transactions take locks in a
 * fixed order, so they cannot wait for each other forever: first these locks, then rows of orders and
 * applications, then rows of animals. Several of one kind are locked by ascending id.
 */
export async function lockApplications(db: Db, petIds: number[]): Promise<void> {
  const { lock } = dialectOf(db)
  const ids = [...new Set(petIds)].sort((one, other) => one - other)
  for (const id of ids) await lock(db, `applications for animal ${id}`)
}

/** Locks the applications for an animal and for the animals bonded with it; see `lockApplications`. */
export async function lockBondApplications(db: Db, petId: number): Promise<void> {
  const { bondedWith = [] } = (await pets.find(db, petId))?.pet ?? {}
  await lockApplications(db, [petId, ...bondedWith])
}

/** Removes the applications of an organization, because the organization is removed with all its data. */
export async function deleteByOrganization(db: Db, organizationId: number): Promise<void> {
  await db.deleteFrom('application').where('organization_id', '=', organizationId).execute()
}

/** An application whose status has changed. */
interface ChangedApplication {
  id: number
  pet_id: number
  organization_id: number | null
  status: string
}

export const CHANGED_COLUMNS = ['id', 'pet_id', 'organization_id', 'status'] as const

/** @param from the status before the change; undefined for a new application */
export async function recordApplicationEvents(
  db: Db,
  type: EventType,
  applications: ChangedApplication[],
  { from, now }: { from?: string | undefined; now: number },
): Promise<void> {
  await recordEvents(
    db,
    applications.map(({ id, pet_id, organization_id, status }) => ({
      type,
      audience: 'confidential',
      organizationId: organization_id,
      data: { applicationId: id, petId: pet_id, status: { ...(from && { from }), to: status } },
    })),
    now,
  )
}

/** The key that makes a decision, and the time. */
export interface DecisionAuthor {
  /** The key that decides. Null if the applicant decides. */
  keyId: number | null
  /** Unix time in milliseconds. */
  now: number
}

/** The new status of an application. The reason is present if the service itself decides. */
interface StatusChange {
  status: Exclude<ApplicationStatus, 'received'>
  reason?: Reason
}

/** The statuses of closed applications. */
export type ClosingStatus = 'declined' | 'withdrawn'
export const isClosing = (status: string): status is ClosingStatus =>
  status === 'declined' || status === 'withdrawn'

export function decisionColumns({ status, reason }: StatusChange, { keyId, now }: DecisionAuthor) {
  const isOpen = status === 'in_review'
  return {
    status,
    reason: reason ?? null,
    decided_at: isOpen ? null : atLeastKnownTime(now),
    decided_by: isOpen ? null : keyId,
    closed_at: isClosing(status) ? atLeastKnownTime(now) : null,
  }
}

/** Sets the status of a locked application. */
export async function setStatus(
  db: Db,
  before: Pick<StoredApplication, 'id' | 'status'>,
  status: StatusChange['status'],
  by: DecisionAuthor,
): Promise<void> {
  const changed = await db
    .updateTable('application')
    .set(decisionColumns({ status }, by))
    .where('id', '=', before.id)
    .returning(CHANGED_COLUMNS)
    .execute()
  await recordApplicationEvents(db, 'application.decided', changed, { from: before.status, now: by.now })
  if (status !== 'in_review') await tellApplicants(db, [before], by)
}

/** Queues e-mails about decisions, except about withdrawals by the applicants themselves. */
async function tellApplicants(
  db: Db,
  applications: { id: number }[],
  { keyId, now }: DecisionAuthor,
): Promise<void> {
  const ids = applications.map(({ id }) => id)
  if (keyId !== null) await queueDecisions(db, ids, now)
}

type OrderKey = Pick<Order, 'id' | 'petId'>

/** Builds an update of the application whose approval placed an order. */
const updateApproved = (db: Db, { id, petId }: OrderKey) =>
  db
    .updateTable('application')
    .where('pet_id', '=', petId)
    .where('status', '=', 'approved')
    .where('order_id', '=', id)

/** Closes the application that placed an order, because the order is completed. */
export async function closeApproved(db: Db, order: OrderKey, by: DecisionAuthor): Promise<void> {
  const closed = await updateApproved(db, order)
    .set({ closed_at: atLeastKnownTime(by.now) })
    .returning('id')
    .execute()
  await tellApplicants(db, closed, by)
}

/** Returns the application that placed an order to review, because the order was cancelled. */
export async function reopenApproved(db: Db, order: OrderKey, by: DecisionAuthor): Promise<void> {
  const reopened = await updateApproved(db, order)
    .set({ ...decisionColumns({ status: 'in_review' }, by), order_id: null })
    .returning(CHANGED_COLUMNS)
    .execute()
  await recordApplicationEvents(db, 'application.decided', reopened, { from: 'approved', now: by.now })
  await tellApplicants(db, reopened, by)
}

/** Declines all open applications for an animal. */
export async function declineOpen(db: Db, petId: number, reason: Reason, by: DecisionAuthor): Promise<void> {
  const declined = await db
    .updateTable('application')
    .set(decisionColumns({ status: 'declined', reason }, by))
    .where('pet_id', '=', petId)
    .where('status', 'in', ['received', 'in_review'])
    .returning(CHANGED_COLUMNS)
    .execute()
  await recordApplicationEvents(db, 'application.decided', declined, by)
  await queueDecisions(
    db,
    declined.map(({ id }) => id),
    by.now,
  )
}

/**
 * Moves the open applications of an animal to its new organization. Removes the internal notes of the old
 * organization.
 */
export async function moveOpen(
  db: Db,
  petId: number,
  from: number | undefined,
  to: number | undefined,
): Promise<void> {
  await db
    .updateTable('application')
    .set({ organization_id: to ?? null, ...(from !== undefined && { note: null }) })
    .where('pet_id', '=', petId)
    .where('status', 'in', ['received', 'in_review'])
    .execute()
}
