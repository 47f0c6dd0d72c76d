import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import { seesWhole } from '../../../../http/caller.ts'
import { idOf } from '../../../../pets/routes.ts'
import * as pets from '../../../../pets/store.ts'

/** A route's parameter: what is no int64 names no animal. */
export type ById = { Params: { id: string } }

/**
 * The animal that an address names, for somebody who works with it.
 *
 * @throws {ApiError} pet_not_found, also for one of another organization
 */
export async function ownAnimal(
  { db }: Pick<Context, 'db'>,
  request: FastifyRequest,
): Promise<pets.StoredPet & { id: number }> {
  const id = idOf({ petId: (request.params as ById['Params']).id })
  const stored = await pets.find(db, id)
  if (!stored || !seesWhole(request.caller.view, stored.owner)) throw new ApiError('pet_not_found')
  return { ...stored, id }
}
