import type { Selectable } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import type { Db, Tables } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { hashToken } from '../http/token.ts'
import type { Order } from '../orders/schema.ts'
import { atLeastKnownTime, ownOf, type Viewer } from '../orders/store.ts'
import * as pets from '../pets/store.ts'
import type { Answers, Applicant, Application, ApplicationStatus, Reason } from './schema.ts'

/** All that is erased one day, of what is shown of an application. */
export interface Personal {
  applicant: Applicant
  message?: string
  answers?: Answers
  note?: string
  reply?: string
}

/** An application as changes give it back: what is erased one day stands apart, and is kept nowhere else. */
export interface Stored extends Omit<Application, keyof Personal> {
  /** Absent once it was erased. */
  personal?: Personal
  /** Unix time in milliseconds; null while something may come of it. */
  closedAt: number | null
}

export function toShown({ personal, closedAt: _, ...application }: Stored): Application {
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

export function toStored(row: Row): Stored {
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

function personalOf({ applicant, note, reply }: Row & { applicant: string }): Personal {
  return {
    ...(JSON.parse(applicant) as Personal),
    ...(note !== null && { note }),
    ...(reply !== null && { reply }),
  }
}

/** @throws {ApiError} application_not_found, also for an application that the viewer may not see */
export async function get(db: Db, id: number, viewer: Viewer): Promise<Stored> {
  const rows = db.selectFrom('application').select(APPLICATION_COLUMNS).where('id', '=', id)
  const row = await ownOf(rows, viewer).executeTakeFirst()
  if (!row) throw new ApiError('application_not_found')
  return toStored(row)
}

export async function findByHash(db: Db, linkHash: string): Promise<Stored | undefined> {
  const rows = db.selectFrom('application').select(APPLICATION_COLUMNS).where('link_hash', '=', linkHash)
  const row = await rows.executeTakeFirst()
  return row && toStored(row)
}

/**
 * The application of a private link. It is looked up by the hash of the token, so that how long that takes
 * tells nothing about tokens.
 */
export async function findByToken(db: Db, token: string): Promise<Stored | undefined> {
  const linkHash = hashToken(token)
  return linkHash === undefined ? undefined : findByHash(db, linkHash)
}

/** What an applicant may see of their application. Times are as in answers: ISO 8601, in UTC. */
export interface Followed {
  id: number
  petId: number
  /** Absent once the animal's record is gone. */
  petName?: string
  status: ApplicationStatus
  reason?: string
  receivedAt: string
  decidedAt?: string
  /** What staff wrote to the applicant. */
  reply?: string
  /** Whether the applicant may still withdraw it. */
  mayWithdraw: boolean
}

/** The application of a private link; undefined when there is none, or it was erased. */
export async function findByLink(db: Db, token: string): Promise<Followed | undefined> {
  const found = await findByToken(db, token)
  if (!found) return undefined
  const { id, petId, status, reason, receivedAt, decidedAt, personal, closedAt } = found
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
 * A kept result has nothing of what is erased one day: it is that of the row, as long as that has it, and
 * the viewer may still see it. The animal may have moved to another organization.
 */
export async function withPersonal(db: Db, application: Stored, viewer: Viewer): Promise<Stored> {
  if (application.personal) return application
  const rows = db.selectFrom('application').select(APPLICATION_COLUMNS).where('id', '=', application.id)
  const row = await ownOf(rows, viewer).executeTakeFirst()
  const personal = row && toStored(row).personal
  return { ...application, ...(personal && { personal }) }
}

/**
 * Until the end of the transaction nobody else adds an application for these animals, approves one, or closes
 * all of them. The order of locks is: an order, then this lock, then applications and animals.
 */
export async function lockApplications(db: Db, petIds: number[]): Promise<void> {
  const { waitInHand } = dialectOf(db)
  const ids = [...new Set(petIds)].sort((one, other) => one - other)
  for (const id of ids) await waitInHand(db, `applications for animal ${id}`)
}

/** Of an organization that goes with all that belongs to it. */
export async function removeOfOrganization(db: Db, organizationId: number): Promise<void> {
  await db.deleteFrom('application').where('organization_id', '=', organizationId).execute()
}

/** By whom something was decided, and when (Unix time in milliseconds). */
export interface Deciding {
  /** Null for the applicant. */
  keyId: number | null
  now: number
}

/** What an application becomes, and why where nobody decided about it itself. */
interface Decided {
  status: Exclude<ApplicationStatus, 'received'>
  reason?: Reason
}

/** Nothing can come of what has one of these. */
export type ClosingStatus = 'declined' | 'withdrawn'
export const isClosing = (status: string): status is ClosingStatus =>
  status === 'declined' || status === 'withdrawn'

/** The columns of a decision. */
export function decided({ status, reason }: Decided, { keyId, now }: Deciding) {
  const isOpen = status === 'in_review'
  return {
    status,
    reason: reason ?? null,
    decided_at: isOpen ? null : atLeastKnownTime(now),
    decided_by: isOpen ? null : keyId,
    closed_at: isClosing(status) ? atLeastKnownTime(now) : null,
  }
}

/** @returns false when somebody was faster: it no longer has the status that it had `before` */
export async function move(
  db: Db,
  before: Pick<Stored, 'id' | 'status'>,
  status: Decided['status'],
  by: Deciding,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('application')
    .set(decided({ status }, by))
    .where('id', '=', before.id)
    .where('status', '=', before.status)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

type ItsOrder = Pick<Order, 'id' | 'petId'>

/** The application whose approval placed an order. */
const approvedWith = (db: Db, { id, petId }: ItsOrder) =>
  db
    .updateTable('application')
    .where('pet_id', '=', petId)
    .where('status', '=', 'approved')
    .where('order_id', '=', id)

/** Nothing more can come of an application once its order is completed. */
export async function closeApproved(db: Db, order: ItsOrder, { now }: Deciding): Promise<void> {
  await approvedWith(db, order)
    .set({ closed_at: atLeastKnownTime(now) })
    .execute()
}

/** An application is in review again once its order is cancelled. */
export async function reopenApproved(db: Db, order: ItsOrder, by: Deciding): Promise<void> {
  await approvedWith(db, order)
    .set({ ...decided({ status: 'in_review' }, by), order_id: null })
    .execute()
}

/** Declines all that are open for an animal. */
export async function declineOpen(db: Db, petId: number, reason: Reason, by: Deciding): Promise<void> {
  await db
    .updateTable('application')
    .set(decided({ status: 'declined', reason }, by))
    .where('pet_id', '=', petId)
    .where('status', 'in', ['received', 'in_review'])
    .execute()
}

/** The open applications for an animal are with the organization that has it. */
export async function moveOpen(db: Db, petId: number, organizationId: number | undefined): Promise<void> {
  await db
    .updateTable('application')
    .set({ organization_id: organizationId ?? null })
    .where('pet_id', '=', petId)
    .where('status', 'in', ['received', 'in_review'])
    .execute()
}
