import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import type { NewOrder, Order, OrderStatus } from '../orders/schema.ts'
import * as orders from '../orders/store.ts'
import { type Moved, movePets, recordMoves } from '../pets/move.ts'
import { closeApproved, type Deciding, declineOpen, lockApplications, reopenApproved } from './store.ts'

// The changes of orders, with what becomes of their animals and of the applications for these.

/**
 * Reserves an animal that is available, with all animals of its bond. If several callers order it at the same
 * time, exactly one succeeds.
 *
 * @throws {ApiError} validation_failed, pet_not_found, other_organization, pet_not_available, bonded
 */
export async function placeOrder(db: Db, order: NewOrder, by: Actor, now: number): Promise<Order> {
  requireEachOnce(order)
  const { keyId } = by
  const move = { from: 'available', to: 'pending', keyId, now } as const
  // Until the end of the transaction, nobody else changes the bond or the organization of a moved animal.
  const moved = await movePets(db, animalsOf(order), move)
  for (const { organizationId } of moved.values()) requireOwn(by, organizationId)
  const own = moved.get(order.petId) as Moved
  requireWholeBond(own, order)
  await recordMoves(db, moved, move)
  return orders.insert(db, order, { keyId, organizationId: own.organizationId, now })
}

type Animals = Pick<NewOrder, 'petId' | 'alsoPetIds'>

const animalsOf = ({ petId, alsoPetIds = [] }: Animals): number[] => [petId, ...alsoPetIds]

/** The order would show an animal twice for good. @throws {ApiError} validation_failed */
function requireEachOnce({ alsoPetIds = [] }: NewOrder): void {
  const index = alsoPetIds.findIndex((id, index) => alsoPetIds.indexOf(id) < index)
  if (index < 0) return
  const pointer = `/alsoPetIds/${index}`
  const message = 'This animal is named before: name each once.'
  throw new ApiError('validation_failed', { details: [{ pointer, code: 'invalid_value', message }] })
}

/** @throws {ApiError} bonded */
function requireWholeBond({ bondedWith }: Moved, { alsoPetIds = [] }: NewOrder): void {
  const named = new Set(alsoPetIds)
  if (named.size === bondedWith.length && bondedWith.every((id) => named.has(id))) return
  const message =
    bondedWith.length > 0
      ? `This animal is adopted together with others: send "alsoPetIds": [${bondedWith.join(', ')}].`
      : 'This animal is bonded with no other: leave out alsoPetIds.'
  throw new ApiError('bonded', { message })
}

/** From each status, those that may follow. */
export const DECISIONS: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: ['approved', 'cancelled'],
  approved: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

/**
 * Approves, completes or cancels an order; the same status again changes nothing.
 *
 * @throws {ApiError} order_not_found, order_closed, invalid_status_transition
 */
export async function decideOrder(
  db: Db,
  status: OrderStatus | undefined,
  decision: orders.Decision,
): Promise<Order> {
  const before = await orders.get(db, decision.id, decision)
  if (status === undefined || status === before.status) return before
  requireDecision(before.status, status)
  const after = await orders.update(db, before, status, decision.now)
  // Another transaction was faster, as PostgreSQL allows: decide again about what the order is now.
  if (!after) return decideOrder(db, status, decision)
  if (status === 'completed' || status === 'cancelled') await close(db, after, decision)
  return after
}

/** @throws {ApiError} order_not_found; order_closed, also for an order that is cancelled already */
export async function cancelOrder(db: Db, decision: orders.Decision): Promise<void> {
  const before = await orders.get(db, decision.id, decision)
  requireDecision(before.status, 'cancelled')
  const after = await orders.update(db, before, 'cancelled', decision.now)
  // As in `decideOrder`.
  if (!after) return cancelOrder(db, decision)
  await close(db, after, decision)
}

/** @throws {ApiError} order_closed; invalid_status_transition, naming the allowed ones */
function requireDecision(from: OrderStatus, to: OrderStatus): void {
  const allowed = DECISIONS[from]
  if (allowed.length === 0) throw new ApiError('order_closed')
  if (allowed.includes(to)) return
  const message = `This order is ${from}; from there it can become ${allowed.join(' or ')}, not ${to}.`
  throw new ApiError('invalid_status_transition', { message })
}

/**
 * An order that is completed makes its animals sold: nothing can come of the other applications for them. One
 * that is cancelled makes its animals available, and reopens the application that it came from.
 */
async function close(db: Db, order: Order, { keyId, now }: Deciding): Promise<void> {
  const by = { keyId, now }
  const petIds = animalsOf(order)
  await lockApplications(db, petIds)
  if (order.status === 'cancelled') await reopenApproved(db, order, by)
  else {
    await closeApproved(db, order, by)
    for (const petId of petIds) await declineOpen(db, petId, 'adopted', by)
  }
  const move = { from: 'pending', to: order.status === 'cancelled' ? 'available' : 'sold', ...by } as const
  await recordMoves(db, await movePets(db, petIds, move), move)
}
