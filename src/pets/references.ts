import { unknownCategory } from '../categories/store.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../db/violation.ts'
import { ApiError } from '../errors.ts'

/** Says what a change broke: the reference to a category, or what is unique. */
export async function withReferences<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError('external_id_exists')
    throw isForeignKeyViolation(error) ? unknownCategory() : error
  }
}
