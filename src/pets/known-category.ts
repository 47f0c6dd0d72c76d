import * as categories from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { NewPet } from './schema.ts'

/** Adds to the problems of a body the one that only the store can know. */
export async function withUnknownCategory(db: Db, problems: ApiError, body: unknown): Promise<ApiError> {
  const categoryId = (body as Partial<NewPet> | null | undefined)?.categoryId
  const sound = problems.details?.every(({ pointer }) => pointer !== '/categoryId' && pointer !== '')
  if (!sound || categoryId === undefined) return problems
  if (await categories.find(db, BigInt(categoryId))) return problems
  const details = [...(problems.details ?? []), ...(categories.unknownCategory().details ?? [])]
  return new ApiError(problems.code, { details })
}
