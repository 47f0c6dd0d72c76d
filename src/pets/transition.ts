import { ApiError } from '../errors.ts'
import type { PetStatus } from './fields.ts'

/** From each status, those that may follow; a sold animal that is returned becomes available first. */
export const MOVES: Record<PetStatus, readonly PetStatus[]> = {
  available: ['pending', 'sold'],
  pending: ['available', 'sold'],
  sold: ['available'],
}

/**
 * An animal without a status may take any; the same status again is no move.
 *
 * @throws {ApiError} invalid_status_transition, naming the allowed ones
 */
export function checkMove(from: PetStatus | undefined, to: PetStatus): void {
  if (from === undefined || from === to || MOVES[from].includes(to)) return
  const message = `This animal is ${from}; from there it can become ${MOVES[from].join(' or ')}, not ${to}.`
  throw new ApiError('invalid_status_transition', { message })
}
