import type { Db } from '../db/tables.ts'
import { ApiError, invalidValue } from '../errors.ts'
import { type Actor, requireOwnOrganization } from '../http/caller.ts'
import type { NewOrder, Order, OrderStatus } from '../orders/schema.ts'
import * as orders from '../orders/store.ts'
import { type MovedPet, movePets, recordMoves } from '../pets/move.ts'
import { closeApproved, type DecisionAuthor, declineOpen, lockApplications, reopenApproved } from './store.ts'

// Changes orders, and with them their animals and the applications for these animals.

/**
 * Places an order. The ordered animal must be available. It becomes pending, as do all animals bonded with
 * it. If several callers order the animal at the same time, exactly one succeeds.
 * @throws {ApiError} validation_failed, pet_not_found, other_organization, pet_not_available, bonded
 */
export async function placeOrder(db: Db, order: NewOrder, by: Actor, now: number): Promise<Order> {
  requireUniquePets(order)
  const { keyId } = by
  const move = { from: 'available', to: 'pending', keyId, now } as const
  // From here on, the bond and the organization of these animals cannot change until the end of the
  // transaction.
  const moved = await movePets(db, petIdsOf(order), move)
  for (const { organizationId } of moved.values()) requireOwnOrganization(by, organizationId)
  const own = moved.get(order.petId) as MovedPet
  requireWholeBond(own, order)
  await recordMoves(db, moved, move)
  return orders.insert(db, order, { keyId, organizationId: own.organizationId, now })
}

type OrderedPets = Pick<NewOrder, 'petId' | 'alsoPetIds'>

const petIdsOf = ({ petId, alsoPetIds = [] }: OrderedPets): number[] => [petId, ...alsoPetIds]

/** Refuses an order that names an animal twice. @throws {ApiError} validation_failed */
function requireUniquePets({ alsoPetIds = [] }: NewOrder): void {
  const index = alsoPetIds.findIndex((id, index) => alsoPetIds.indexOf(id) < index)
  if (index < 0) return
  const problem = invalidValue(`/alsoPetIds/${index}`, 'This animal is repeated. Name each animal once.')
  throw new ApiError('validation_failed', { details: [problem] })
}

/** @throws {ApiError} bonded */
function requireWholeBond({ bondedWith }: MovedPet, { alsoPetIds = [] }: NewOrder): void {
  const named = new Set(alsoPetIds)
  if (named.size === bondedWith.length && bondedWith.every((id) => named.has(id))) return
  const message =
    bondedWith.length > 0
      ? `This animal must be adopted together with others. Send "alsoPetIds": [${bondedWith.join(', ')}].`
      : 'This animal is not bonded with others. Leave out alsoPetIds.'
  throw new ApiError('bonded', { message })
}

/** For each status, the statuses that may follow. */
export const ORDER_TRANSITIONS: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: ['approved', 'cancelled'],
  approved: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

/**
 * Approves, completes or cancels an order. A request for the present status changes nothing.
 * @throws {ApiError} order_not_found, order_closed, invalid_status_transition
 */
export async function decideOrder(
  db: Db,
  status: OrderStatus | undefined,
  decision: orders.Decision,
): Promise<Order> {
  const before = await getLocked(db, decision)
  if (status === undefined || status === before.status) return before
  requireTransition(before.status, status)
  const after = await orders.update(db, before, status, decision.now)
  if (status === 'completed' || status === 'cancelled') await closeOrder(db, after, decision)
  return after
}

/** Cancels an order. @throws {ApiError} order_not_found; order_closed, also for a cancelled order */
export async function cancelOrder(db: Db, decision: orders.Decision): Promise<void> {
  const before = await getLocked(db, decision)
  requireTransition(before.status, 'cancelled')
  await closeOrder(db, await orders.update(db, before, 'cancelled', decision.now), decision)
}

/** Locks an order until the end of the transaction, by its animals. @throws {ApiError} order_not_found */
async function getLocked(db: Db, decision: orders.Decision): Promise<Order> {
  // The animals of an order never change.
  await lockApplications(db, petIdsOf(await orders.get(db, decision.id, decision)))
  return orders.get(db, decision.id, decision)
}

/** @throws {ApiError} order_closed; invalid_status_transition, which names the allowed statuses */
function requireTransition(from: OrderStatus, to: OrderStatus): void {
  const allowed = ORDER_TRANSITIONS[from]
  if (allowed.length === 0) throw new ApiError('order_closed')
  if (allowed.includes(to)) return
  const message = `This order is ${from}; from there it can become ${allowed.join(' or ')}, not ${to}.`
  throw new ApiError('invalid_status_transition', { message })
}

/**
 * Applies the consequences of a closed order. A completed order makes its animals sold, and declines the
 * other applications for them. A cancelled order makes its animals available, and reopens the application
 * that placed the order.
 */
async function closeOrder(db: Db, order: Order, { keyId, now }: DecisionAuthor): Promise<void> {
  const by = { keyId, now }
  const petIds = petIdsOf(order)
  if (order.status === 'cancelled') await reopenApproved(db, order, by)
  else {
    await closeApproved(db, order, by)
    for (const petId of petIds) await declineOpen(db, petId, 'adopted', by)
  }
  const move = { from: 'pending', to: order.status === 'cancelled' ? 'available' : 'sold', ...by } as const
  await recordMoves(db, await movePets(db, petIds, move), move)
}
