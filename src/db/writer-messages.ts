import { ApiError, type ErrorCode, type ErrorDetail } from '../errors.ts'
import type { Once } from './once.ts'

/** What the service's thread asks of the writer thread: a change by name. Everything here is structured-cloneable. */
export interface Job {
  id: number
  change: string
  args: unknown[]
  /** Absent for a change that may be made as often as it is asked for. */
  once: Once | undefined
}

/** In the place of a change: what no transaction can do. */
export const SCRUB = 'scrub'

export type Outcome = { id: number; value: unknown } | { id: number; failure: Failure }

type Failure =
  | {
      kind: 'api'
      code: ErrorCode
      message: string
      details: ErrorDetail[] | undefined
      headers: Record<string, string>
      cause: Failure | undefined
    }
  | { kind: 'other'; message: string; stack: string | undefined; errcode: number | undefined }

/** An error keeps neither class nor members on its way between threads; this keeps all that anybody reads. */
export function packError(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { code, message, details, headers } = error
    const cause = error.cause === undefined ? undefined : packError(error.cause)
    return { kind: 'api', code, message, details, headers, cause }
  }
  const { message, stack, errcode } = error as Error & { errcode?: number }
  return { kind: 'other', message, stack, errcode }
}

export function unpackError(failure: Failure): Error {
  if (failure.kind === 'api') {
    const { code, message, details, headers, cause } = failure
    const why = cause && { cause: unpackError(cause) }
    return new ApiError(code, { message, headers, ...(details && { details }), ...why })
  }
  const error: Error & { errcode?: number } = new Error(failure.message)
  if (failure.stack) error.stack = failure.stack
  if (failure.errcode !== undefined) error.errcode = failure.errcode
  return error
}
