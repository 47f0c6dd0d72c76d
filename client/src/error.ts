import type { ErrorCode, ErrorDetail } from './schemas.ts'

/** Errors of the client: no response arrived, or it did not come from the service. */
export type ClientErrorCode = 'connection_failed' | 'unexpected_answer'

export interface ErrorFacts {
  /** HTTP status; 0 if no response arrived. */
  status: number
  details?: ErrorDetail[] | undefined
  requestId?: string | undefined
  /** Seconds. */
  retryAfter?: number | undefined
  cause?: unknown
}

/** A failed request. Use `code` to decide what to do: codes do not change. */
export class AdoptableError extends Error {
  readonly code: ErrorCode | ClientErrorCode
  /** HTTP status; 0 if no response arrived. */
  readonly status: number
  /** For a 400 every problem of the request; otherwise empty. */
  readonly details: ErrorDetail[]
  /** The operator can find the request in the log with it. */
  readonly requestId: string | undefined
  /** Seconds to wait before sending again, if the service named a time. */
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
