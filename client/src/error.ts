import type { ErrorCode, ErrorDetail } from './schemas.ts'

/** What the client itself has to say: no answer came, or one that this service does not give. */
export type ClientErrorCode = 'connection_failed' | 'unexpected_answer'

export interface ErrorFacts {
  /** HTTP status; 0 when no answer came. */
  status: number
  details?: ErrorDetail[] | undefined
  requestId?: string | undefined
  /** Seconds. */
  retryAfter?: number | undefined
  cause?: unknown
}

/** A request that failed. Decide by `code`: it never changes for a condition. */
export class AdoptableError extends Error {
  readonly code: ErrorCode | ClientErrorCode
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  /** Every problem of the request, with a 400; else empty. */
  readonly details: ErrorDetail[]
  /** By which the operator finds the request in the log. */
  readonly requestId: string | undefined
  /** Seconds after which to send again, when the service named a time. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode | ClientErrorCode, message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = 'AdoptableError'
    this.code = code
    this.status = facts.status
    this.details = facts.details ?? []
    this.requestId = facts.requestId
    this.retryAfter = facts.retryAfter
  }
}
