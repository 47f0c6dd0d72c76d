import * as categories from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import { isForeignKeyViolation } from '../db/violation.ts'
import { ApiError } from '../errors.ts'
import type { NewPet } from './schema.ts'

/** Names the category in the error of a change that breaks the reference to it. */
export async function withKnownCategory<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    throw isForeignKeyViolation(error) ? unknownCategory() : error
  }
}

/** Adds to the problems of a body the one that only the store can know. */
export async function withUnknownCategory(db: Db, problems: ApiError, body: unknown): Promise<ApiError> {
  const categoryId = (body as Partial<NewPet> | null | undefined)?.categoryId
  const sound = problems.details?.every(({ pointer }) => pointer !== '/categoryId' && pointer !== '')
  if (!sound || categoryId === undefined) return problems
  if (await categories.find(db, BigInt(categoryId))) return problems
  const details = [...(problems.details ?? []), ...(unknownCategory().details ?? [])]
  return new ApiError(problems.code, { details })
}

export function unknownCategory(): ApiError {
  const message =
    'No category has this id. GET /categories lists them; POST /categories adds one, with an admin key.'
  return new ApiError('validation_failed', {
    details: [{ pointer: '/categoryId', code: 'unknown_category', message }],
  })
}
