import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import * as place from '../orders/place.ts'
import type { Viewer } from '../orders/store.ts'
import * as pets from '../pets/store.ts'
import { orderClosed } from './closing.ts'
import type { ApplicationPatch, ApplicationStatus } from './schema.ts'
import {
  type ClosingStatus,
  type Deciding,
  get,
  isClosing,
  move,
  type Personal,
  type Stored,
  takeInHand,
} from './store.ts'

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

/** Who decides about which application, when (Unix time in milliseconds). */
export type Decision = place.Decision

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
    // Somebody was faster, where a store lets two transactions read at once: judged again, on what is there.
    if (!(await decide(db, before, status, decision))) return updateApplication(db, patch, decision)
  }
  await write(db, before, words)
  return get(db, decision.id, decision)
}

const ALL = { keyId: null, sees: 'all' } satisfies Viewer

/**
 * What the applicant does; once it is withdrawn it stays so.
 *
 * @throws {ApiError} application_not_found, application_closed
 */
export async function withdraw(db: Db, id: number, by: Deciding): Promise<void> {
  const before = await get(db, BigInt(id), ALL)
  if (before.status === 'withdrawn') return
  requireMove(before, 'withdrawn')
  if (!(await decide(db, before, 'withdrawn', by))) await withdraw(db, id, by)
}

type By = Deciding & Pick<Viewer, 'organizationId'>

/** @returns false when somebody was faster */
async function decide(db: Db, before: Stored, to: ApplicationStatus, by: By): Promise<boolean> {
  if (to === 'received') throw new Error('no status leads back to received')
  if (to === 'approved') return approve(db, before, by)
  if (before.status !== 'approved') return move(db, before, to, by)
  // Which brings the application back among those that are open.
  const { keyId, now } = by
  await place.cancelOrder(db, { keyId, sees: 'all', id: BigInt(before.orderId ?? 0), now }, orderClosed)
  return to === 'in_review' || move(db, { id: before.id, status: 'in_review' }, to, by)
}

/** @returns false when somebody was faster */
async function approve(db: Db, before: Stored, { keyId, organizationId, now }: By): Promise<boolean> {
  const { applicant, message } = before.personal as Personal
  const { name, email, phone } = applicant
  const petId = before.petId
  const { bondedWith = [] } = (await pets.find(db, BigInt(petId)))?.pet ?? {}
  await takeInHand(db, [petId, ...bondedWith])
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
  const { id } = await place.placeOrder(db, order, { keyId: keyId as number, organizationId }, now)
  await place.decideOrder(db, 'approved', { keyId, sees: 'all', id: BigInt(id), now }, orderClosed)
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
