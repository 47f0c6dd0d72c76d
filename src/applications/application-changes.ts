import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import type { Decision, Viewer } from '../orders/store.ts'
import * as pets from '../pets/store.ts'
import { cancelOrder, decideOrder, placeOrder } from './order-changes.ts'
import type { ApplicationPatch, ApplicationStatus, NewApplication } from './schema.ts'
import {
  APPLICATION_COLUMNS,
  type ClosingStatus,
  type Deciding,
  findByHash,
  findByToken,
  get,
  isClosing,
  lockApplications,
  move,
  type Personal,
  type Stored,
  toStored,
} from './store.ts'

// The changes of applications, with the order that an approval places.

/** Who sends an application, and when (Unix time in milliseconds). */
interface Sending {
  /** The key; null for a visitor with the form. */
  by: Actor | null
  /** Of the private link (`newToken`); an application that has it already is the same, sent again. */
  linkHash?: string | undefined
  now: number
}

/**
 * Adds an application for an animal that looks for a home or is reserved; there may be many for each.
 *
 * @throws {ApiError} pet_not_found, other_organization, pet_not_available
 */
export async function insertApplication(
  db: Db,
  application: NewApplication,
  { by, linkHash, now }: Sending,
): Promise<Stored> {
  const { petId } = application
  // A change that closes all applications for the animal waits for this one, or this one for that change.
  await lockApplications(db, [petId])
  const existing = linkHash === undefined ? undefined : await findByHash(db, linkHash)
  if (existing) return existing
  const stored = await pets.find(db, petId)
  if (!stored) throw new ApiError('pet_not_found')
  const { organizationId, status } = stored.pet
  if (by) requireOwn(by, organizationId)
  if (status !== 'available' && status !== 'pending') {
    const message = `This animal does not look for a home: it is ${status ?? 'not listed'}.`
    throw new ApiError('pet_not_available', { message })
  }
  const row = await db
    .insertInto('application')
    .values({
      pet_id: stored.pet.id,
      organization_id: organizationId ?? null,
      status: 'received',
      applicant: textOf(application),
      link_hash: linkHash ?? null,
      placed_by: by?.keyId ?? null,
      received_at: now,
    })
    .returning(APPLICATION_COLUMNS)
    .executeTakeFirstOrThrow()
  return toStored(row)
}

/** The text that is erased one day, without members that the schema does not name. */
function textOf({ applicant: { name, email, phone, address }, message, answers }: NewApplication): string {
  return JSON.stringify({
    applicant: { name, email, phone, address },
    message,
    answers: answers?.map(({ question, answer }) => ({ question, answer })),
  })
}

/** From each status, those that may follow. */
const DECISIONS: Record<Exclude<ApplicationStatus, ClosingStatus>, readonly ApplicationStatus[]> = {
  received: ['in_review', 'approved', 'declined', 'withdrawn'],
  in_review: ['approved', 'declined', 'withdrawn'],
  // Its order is cancelled with it.
  approved: ['in_review', 'declined', 'withdrawn'],
}

/** What may become of an application now. */
export function movesOf({ status, closedAt }: Stored): readonly ApplicationStatus[] {
  return closedAt === null && !isClosing(status) ? DECISIONS[status] : []
}

/**
 * Decides about an application, and writes what staff have to say about it. Approving places the order; what
 * was approved and no longer is cancels it. The same status again changes nothing.
 *
 * @throws {ApiError} application_not_found, application_closed, invalid_status_transition; of the order
 *   pet_not_found, other_organization, pet_not_available, bonded
 */
export async function updateApplication(
  db: Db,
  patch: ApplicationPatch,
  decision: Decision,
): Promise<Stored> {
  const before = await get(db, decision.id, decision)
  const { status, ...words } = patch
  if (status !== undefined && status !== before.status) {
    requireMove(before, status)
    // Another transaction was faster, as PostgreSQL allows: decide again about what the application is now.
    if (!(await decide(db, before, status, decision))) return updateApplication(db, patch, decision)
  }
  await write(db, before, words)
  return get(db, decision.id, decision)
}

type By = Deciding & Pick<Viewer, 'organizationId'>

/** @returns false when another transaction was faster */
async function decide(db: Db, before: Stored, to: ApplicationStatus, by: By): Promise<boolean> {
  if (to === 'received') throw new Error('no status leads back to received')
  if (to === 'approved') return approve(db, before, by)
  if (before.status !== 'approved') return move(db, before, to, by)
  const { keyId, now } = by
  await cancelOrder(db, { keyId, sees: 'all', id: before.orderId ?? 0, now })
  // The application is in review again.
  return to === 'in_review' || move(db, { id: before.id, status: 'in_review' }, to, by)
}

/** @returns false when another transaction was faster */
async function approve(db: Db, before: Stored, { keyId, organizationId, now }: By): Promise<boolean> {
  const { applicant, message } = before.personal as Personal
  const { name, email, phone } = applicant
  const petId = before.petId
  const { bondedWith = [] } = (await pets.find(db, petId))?.pet ?? {}
  await lockApplications(db, [petId, ...bondedWith])
  if (!(await move(db, before, 'approved', { keyId, now }))) return false
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
  return true
}

/** What staff write to each other and to the applicant; nothing more once the applicant was erased. */
async function write(db: Db, before: Stored, words: Pick<ApplicationPatch, 'note' | 'reply'>): Promise<void> {
  const changed = (['note', 'reply'] as const).filter(
    (name) => words[name] !== undefined && words[name] !== (before.personal?.[name] ?? null),
  )
  if (changed.length === 0) return
  if (!before.personal) {
    const message = 'Who applied was erased: nothing more can be written to this application.'
    throw new ApiError('application_closed', { message })
  }
  await db
    .updateTable('application')
    .set(Object.fromEntries(changed.map((name) => [name, words[name] ?? null])))
    .where('id', '=', before.id)
    .where('applicant', 'is not', null)
    .execute()
}

/** @throws {ApiError} application_closed; invalid_status_transition, naming the allowed ones */
function requireMove(stored: Stored, to: ApplicationStatus): void {
  const allowed = movesOf(stored)
  if (allowed.length === 0) throw new ApiError('application_closed')
  if (allowed.includes(to)) return
  const message = `This application is ${stored.status}; from there it can become ${allowed.join(' or ')}, not ${to}.`
  throw new ApiError('invalid_status_transition', { message })
}

/**
 * The applicant takes back the application of a private link; one that was withdrawn before stays so. An
 * order that its approval placed is cancelled.
 *
 * @throws {ApiError} application_not_found, application_closed
 */
export async function withdrawByLink(db: Db, token: string, now: number): Promise<void> {
  const before = await findByToken(db, token)
  if (!before) throw new ApiError('application_not_found')
  if (before.status === 'withdrawn') return
  requireMove(before, 'withdrawn')
  // As in `updateApplication`.
  if (!(await decide(db, before, 'withdrawn', { keyId: null, now }))) await withdrawByLink(db, token, now)
}
