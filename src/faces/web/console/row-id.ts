import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../../errors.ts'

/** A whole number as a form or an address has it, of something in the store. */
export function numberIn(text: unknown): number | undefined {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** @throws {ApiError} route_not_found for what can be the id of nothing */
export function idIn({ params }: FastifyRequest): number {
  const id = numberIn((params as { id?: string }).id)
  if (id === undefined) throw new ApiError('route_not_found')
  return id
}
