import type { FastifyRequest } from 'fastify'
import * as applications from '../../../../applications/store.ts'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import { int64 } from '../../../../http/int64.ts'
import { viewerOf } from '../../../../orders/store.ts'

export type ById = { Params: { id: string } }

/** @throws {ApiError} application_not_found, also for one of another organization's animal */
export async function ownApplication(
  { db }: Pick<Context, 'db'>,
  request: FastifyRequest,
): Promise<applications.Stored> {
  const id = int64((request.params as ById['Params']).id)
  if (id === undefined) throw new ApiError('application_not_found')
  return applications.get(db, id, viewerOf(request.caller))
}
