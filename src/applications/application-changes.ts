import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwnOrganization } from '../http/caller.ts'
import type { Language } from '../http/language.ts'
import { isSameEmail } from '../http/text.ts'
import type { Decision, Viewer } from '../orders/store.ts'
import * as organizations from '../organizations/store.ts'
import * as pets from '../pets/store.ts'
import { cancelOrder, decideOrder, placeOrder } from './order-changes.ts'
import { queueEmails, queueReply } from './outbox.ts'
import type { ApplicationPatch, ApplicationStatus, NewApplication } from './schema.ts'
import {
  APPLICATION_COLUMNS,
  type ClosingStatus,
  type DecisionAuthor,
  findByHash,
  findByToken,
  get,
  getLocked,
  isClosing,
  lockApplications,
  type PersonalData,
  recordApplicationEvents,
  type StoredApplication,
  setStatus,
  toStored,
} from './store.ts'

// Changes applications. When an application is approved, also places the order.

/** The sender of an application, and the time. */
interface Submission {
  /** The key that sends the application. Null for a visitor who uses the form. */
  by: Actor | null
  /**
   * SHA-256 of the token of the private link. If a second application has the same hash, the same form was
   * sent again, possibly with corrections.
   */
  linkHash?: string | undefined
  /** The data for e-mails to the applicant. Absent if the application did not come from the form. */
  contact?: { language: Language; link: string } | undefined
  /** Notes for staff. */
  notes?: SubmissionNotes | undefined
  /** Unix time in milliseconds. */
  now: number
}

interface SubmissionNotes {
  /** The note about the form itself. */
  form?: string | undefined
  /** The note if the same person has already applied for the animal. `{ids}` stands for the applications. */
  repeated: string
}

/**
 * Adds an application for an animal that is available or pending. An animal may have several applications.
 * Corrects the existing application if its form was sent again.
 * @throws {ApiError} pet_not_found, other_organization, followed_animal, pet_not_available
 */
export async function insertApplication(
  db: Db,
  application: NewApplication,
  { by, linkHash, contact, notes, now }: Submission,
): Promise<StoredApplication> {
  const { petId } = application
  // Other changes may close all applications for the animal. This lock makes them wait.
  await lockApplications(db, [petId])
  const existing = linkHash === undefined ? undefined : await findByHash(db, linkHash)
  if (existing) return correct(db, existing, application, { contact, now })
  const stored = await pets.find(db, petId)
  if (!stored) throw new ApiError('pet_not_found')
  const { organizationId, status } = stored.pet
  if (by) requireOwnOrganization(by, organizationId)
  pets.requireNoCopy(stored.row)
  if (status !== 'available' && status !== 'pending') {
    const message = `This animal is not up for adoption: it is ${status ?? 'not published'}. Choose another animal.`
    throw new ApiError('pet_not_available', { message })
  }
  const earlier = notes ? await findOwn(db, application) : []
  const row = await db
    .insertInto('application')
    .values({
      pet_id: stored.pet.id,
      organization_id: organizationId ?? null,
      status: 'received',
      applicant: toPersonalJson(application),
      note: notes ? noteOf(earlier, notes) : null,
      link_hash: linkHash ?? null,
      language: contact?.language ?? null,
      placed_by: by?.keyId ?? null,
      received_at: now,
    })
    .returning(APPLICATION_COLUMNS)
    .executeTakeFirstOrThrow()
  await recordApplicationEvents(
    db,
    'application.received',
    [{ ...row, organization_id: organizationId ?? null }],
    { now },
  )
  const applicationIds = [row.id]
  await queueEmails(db, { kind: 'receipt', applicationIds, link: contact?.link }, now)
  if (!earlier.some(({ closedAt }) => closedAt === null)) await queueNotice(db, row.id, organizationId, now)
  return toStored(row)
}

/**
 * Stores the new text of an application whose form was sent again, and sends the private link to a corrected
 * address. Changes nothing after staff have begun to decide, or if another person has sent the form, for
 * example in the same browser.
 */
async function correct(
  db: Db,
  existing: StoredApplication,
  application: NewApplication,
  { contact, now }: Pick<Submission, 'contact' | 'now'>,
): Promise<StoredApplication> {
  const { name, email } = application.applicant
  const before = existing.personal?.applicant
  const isSamePerson = before?.name === name || isSameEmail(before?.email, email)
  if (existing.status !== 'received' || !isSamePerson || hasText(existing, application)) return existing
  const row = await db
    .updateTable('application')
    .set({ applicant: toPersonalJson(application), ...(contact && { language: contact.language }) })
    .where('id', '=', existing.id)
    .where('status', '=', 'received')
    .where('applicant', 'is not', null)
    .returning(APPLICATION_COLUMNS)
    .executeTakeFirst()
  if (!row) return existing
  if (contact && !isSameEmail(before?.email, email))
    await queueEmails(db, { kind: 'receipt', applicationIds: [row.id], link: contact.link }, now)
  return toStored(row)
}

/** Checks whether a stored application has exactly this text. */
export function hasText({ petId, personal }: StoredApplication, application: NewApplication): boolean {
  return personal !== undefined && toPersonalJson({ petId, ...personal }) === toPersonalJson(application)
}

/** The maximum number of applications for the animal that are searched for the same person. */
const MAX_COMPARED = 500

/** Finds the applications of the same person for the same animal. */
async function findOwn(db: Db, { petId, applicant }: NewApplication): Promise<StoredApplication[]> {
  const rows = await db
    .selectFrom('application')
    .select(APPLICATION_COLUMNS)
    .where('pet_id', '=', petId)
    .orderBy('id', 'desc')
    .limit(MAX_COMPARED)
    .execute()
  return rows.map(toStored).filter(({ personal }) => isSameEmail(personal?.applicant.email, applicant.email))
}

function noteOf(earlier: StoredApplication[], { form, repeated }: SubmissionNotes): string | null {
  const ids = earlier.map(({ id }) => id).join(', ')
  return [form, ids && repeated.replace('{ids}', ids)].filter(Boolean).join('\n') || null
}

const DAY_MS = 86_400_000
/** Daily notices are sent at 06:00 UTC, which is in the morning in Europe and at night in America. */
const DAILY_NOTICE_MS = 6 * 3_600_000

/** Queues the e-mail that notifies the shelter of a new application. */
async function queueNotice(
  db: Db,
  applicationId: number,
  organizationId: number | undefined,
  now: number,
): Promise<void> {
  if (organizationId === undefined) return
  const isDaily = (await organizations.find(db, organizationId))?.applicationNotices === 'daily'
  const nextDaily = Math.ceil((now + 1 - DAILY_NOTICE_MS) / DAY_MS) * DAY_MS + DAILY_NOTICE_MS
  const dueAt = isDaily ? nextDaily : now
  await queueEmails(db, { kind: 'notice', applicationIds: [applicationId], dueAt }, now)
}

/** Selects the personal data, which is erased later. Drops members that the schema does not contain. */
function toPersonalJson({
  applicant: { name, email, phone, address },
  message,
  answers,
}: NewApplication): string {
  return JSON.stringify({
    applicant: { name, email, phone, address },
    message,
    answers: answers?.map(({ question, answer }) => ({ question, answer })),
  })
}

/** For each status, the statuses that may follow. */
const TRANSITIONS: Record<Exclude<ApplicationStatus, ClosingStatus>, readonly ApplicationStatus[]> = {
  received: ['in_review', 'approved', 'declined', 'withdrawn'],
  in_review: ['approved', 'declined', 'withdrawn'],
  // Each change to one of these statuses cancels the order.
  approved: ['in_review', 'declined', 'withdrawn'],
}

/** Returns the statuses that the application can change to now. */
export function listNextStatuses({ status, closedAt }: StoredApplication): readonly ApplicationStatus[] {
  return closedAt === null && !isClosing(status) ? TRANSITIONS[status] : []
}

/**
 * Changes the status of an application, and the notes of staff. A change to `approved` places an order, and a
 * change from `approved` to another status cancels that order. A request for the present status changes
 * nothing.
 * @throws {ApiError} application_not_found, application_closed, invalid_status_transition; from the order
 *   pet_not_found, other_organization, pet_not_available, bonded
 */
export async function updateApplication(
  db: Db,
  patch: ApplicationPatch,
  decision: Decision,
): Promise<StoredApplication> {
  const before = await getLocked(db, await get(db, decision.id, decision), decision)
  const { status, ...texts } = patch
  if (status !== undefined && status !== before.status) {
    requireTransition(before, status)
    await decide(db, before, status, decision)
  }
  await updateTexts(db, before, texts, decision.now)
  return get(db, decision.id, decision)
}

type Decider = DecisionAuthor & Pick<Viewer, 'organizationId'>

/** Changes the status of a locked application. */
async function decide(db: Db, before: StoredApplication, to: ApplicationStatus, by: Decider): Promise<void> {
  if (to === 'received') throw new Error('no status leads back to received')
  if (to === 'approved') return approve(db, before, by)
  if (before.status !== 'approved') return setStatus(db, before, to, by)
  const { keyId, now } = by
  await cancelOrder(db, { keyId, sees: 'all', id: before.orderId ?? 0, now })
  // Cancelling the order has changed the status of the application back to review.
  if (to !== 'in_review') await setStatus(db, { id: before.id, status: 'in_review' }, to, by)
}

async function approve(
  db: Db,
  before: StoredApplication,
  { keyId, organizationId, now }: Decider,
): Promise<void> {
  const { applicant, message } = before.personal as PersonalData
  const { name, email, phone } = applicant
  const petId = before.petId
  const { bondedWith = [] } = (await pets.find(db, petId))?.pet ?? {}
  await setStatus(db, before, 'approved', { keyId, now })
  const order = {
    petId,
    ...(bondedWith.length > 0 && { alsoPetIds: bondedWith }),
    adopter: {
      name,
      email,
      ...(phone !== undefined && { phone }),
      ...(message !== undefined && { message }),
    },
  }
  const { id } = await placeOrder(db, order, { keyId: keyId as number, organizationId }, now)
  await decideOrder(db, 'approved', { keyId, sees: 'all', id, now })
  await db.updateTable('application').set({ order_id: id }).where('id', '=', before.id).execute()
}

/**
 * Stores the notes of staff, unless the applicant's data was erased.
 * @throws {ApiError} application_closed
 */
async function updateTexts(
  db: Db,
  before: StoredApplication,
  texts: Pick<ApplicationPatch, 'note' | 'reply'>,
  now: number,
): Promise<void> {
  const changed = (['note', 'reply'] as const).filter(
    (name) => texts[name] !== undefined && texts[name] !== (before.personal?.[name] ?? null),
  )
  if (changed.length === 0) return
  if (!before.personal) {
    const message = 'The data of this applicant was erased. You can no longer add notes or replies.'
    throw new ApiError('application_closed', { message })
  }
  await db
    .updateTable('application')
    .set(Object.fromEntries(changed.map((name) => [name, texts[name] ?? null])))
    .where('id', '=', before.id)
    .execute()
  if (changed.includes('reply') && texts.reply) await queueReply(db, before.id, now)
}

/** @throws {ApiError} application_closed; invalid_status_transition, which names the allowed statuses */
function requireTransition(stored: StoredApplication, to: ApplicationStatus): void {
  const allowed = listNextStatuses(stored)
  if (allowed.length === 0) throw new ApiError('application_closed')
  if (allowed.includes(to)) return
  const message = `This application is ${stored.status}; from there it can become ${allowed.join(' or ')}, not ${to}.`
  throw new ApiError('invalid_status_transition', { message })
}

/**
 * Withdraws the application of a private link, and cancels its order if the application was approved. Does
 * nothing if the application is already withdrawn.
 * @throws {ApiError} application_not_found, application_closed
 */
export async function withdrawByLink(db: Db, token: string, now: number): Promise<void> {
  const found = await findByToken(db, token)
  if (!found) throw new ApiError('application_not_found')
  const before = await getLocked(db, found, { keyId: null, sees: 'all' })
  if (before.status === 'withdrawn') return
  requireTransition(before, 'withdrawn')
  await decide(db, before, 'withdrawn', { keyId: null, now })
}
