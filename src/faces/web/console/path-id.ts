import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../../errors.ts'
import { wholeNumberOf } from './whole-number.ts'

/** The id in an address. @throws {ApiError} route_not_found for what can be the id of nothing */
export function pathId({ params }: FastifyRequest): number {
  const id = wholeNumberOf((params as { id?: string }).id)
  if (id === undefined) throw new ApiError('route_not_found')
  return id
}
