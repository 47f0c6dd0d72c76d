import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { type Actor, requireOwn } from '../http/caller.ts'
import * as petChange from '../pets/change.ts'
import type { PetStatus } from '../pets/fields.ts'
import type { Moved } from '../pets/move.ts'
import type { NewOrder, Order, OrderStatus } from './schema.ts'
import * as orders from './store.ts'

/** Who decides about which order, when (Unix time in milliseconds). */
export interface Decision extends orders.Viewer {
  id: bigint
  now: number
}

/**
 * Takes an animal out of those that are available: of all who want it at once, for one.
 *
 * @throws {ApiError} validation_failed, pet_not_found, other_organization, pet_not_available, bonded
 */
export async function placeOrder(db: Db, order: NewOrder, by: Actor, now: number): Promise<Order> {
  requireEachOnce(order)
  const { keyId } = by
  let organizationId: number | undefined
  // Once they are moved they stay whose they are, and bonded as they are, until the end of the transaction.
  await petChange.movePets(
    db,
    animalsOf(order),
    { from: 'available', to: 'pending', keyId, now },
    (moved) => {
      for (const { organizationId } of moved.values()) requireOwn(by, organizationId)
      const own = moved.get(Number(order.petId)) as Moved
      requireWholeBond(own, order)
      organizationId = own.organizationId
    },
  )
  return orders.insert(db, order, { keyId, organizationId, now })
}

type Animals = Pick<NewOrder, 'petId' | 'alsoPetIds'>

const animalsOf = ({ petId, alsoPetIds = [] }: Animals): (number | bigint)[] => [petId, ...alsoPetIds]

/** The order would show an animal twice for good. @throws {ApiError} validation_failed */
function requireEachOnce({ alsoPetIds = [] }: NewOrder): void {
  const numbers = alsoPetIds.map(Number)
  const index = numbers.findIndex((id, index) => numbers.indexOf(id) < index)
  if (index < 0) return
  const pointer = `/alsoPetIds/${index}`
  const message = 'This animal is named before: name each once.'
  throw new ApiError('validation_failed', { details: [{ pointer, code: 'invalid_value', message }] })
}

/** @throws {ApiError} bonded */
function requireWholeBond({ bondedWith }: Moved, { alsoPetIds = [] }: NewOrder): void {
  const named = new Set(alsoPetIds.map(Number))
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

/** Who decided, and when (Unix time in milliseconds). */
type Deciding = Pick<Decision, 'keyId' | 'now'>

/** Of applications, which know orders, while orders know none: it comes before the animals are moved. */
export type OnClosed = (db: Db, order: Order, by: Deciding) => Promise<void>

/** What becomes of the animal, which is pending while its order is open. */
const OUTCOMES: Partial<Record<OrderStatus, PetStatus>> = { completed: 'sold', cancelled: 'available' }

/**
 * Approves, completes or cancels an order, and moves its animal along; the same status again changes nothing.
 *
 * @throws {ApiError} order_not_found, order_closed, invalid_status_transition
 */
export async function decideOrder(
  db: Db,
  status: OrderStatus | undefined,
  decision: Decision,
  onClosed: OnClosed,
): Promise<Order> {
  const before = await orders.get(db, decision.id, decision)
  if (status === undefined || status === before.status) return before
  checkDecision(before.status, status)
  const after = await applyDecision(db, before, status, decision, onClosed)
  return after ?? decideOrder(db, status, decision, onClosed)
}

/** @throws {ApiError} order_not_found, order_closed */
export async function cancelOrder(db: Db, decision: Decision, onClosed: OnClosed): Promise<void> {
  const before = await orders.get(db, decision.id, decision)
  checkDecision(before.status, 'cancelled')
  if (!(await applyDecision(db, before, 'cancelled', decision, onClosed)))
    await cancelOrder(db, decision, onClosed)
}

/**
 * @returns undefined when somebody was faster, where a store lets two transactions read at once: it is to be
 *   judged again, on what is there
 */
async function applyDecision(
  db: Db,
  before: Order,
  status: OrderStatus,
  { keyId, now }: Decision,
  onClosed: OnClosed,
): Promise<Order | undefined> {
  const after = await orders.update(db, before, status, now)
  const outcome = OUTCOMES[status]
  if (!after || !outcome) return after
  await onClosed(db, after, { keyId, now })
  await petChange.movePets(db, animalsOf(before), { from: 'pending', to: outcome, keyId, now })
  return after
}

/** @throws {ApiError} order_closed; invalid_status_transition, naming the allowed ones */
function checkDecision(from: OrderStatus, to: OrderStatus): void {
  const allowed = DECISIONS[from]
  if (allowed.length === 0) throw new ApiError('order_closed')
  if (allowed.includes(to)) return
  const message = `This order is ${from}; from there it can become ${allowed.join(' or ')}, not ${to}.`
  throw new ApiError('invalid_status_transition', { message })
}
