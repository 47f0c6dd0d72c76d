import type { WireRequest } from '../wire.ts'
import type { Operation } from './description.ts'

/** A request that is still being made. */
export interface Draft {
  operation: Operation
  method: string
  /** Starts with /v1, unless a mutation changed it. */
  path: string
  query: [name: string, value: string][]
  headers: [name: string, value: string][]
  body?: string | Buffer
  /** Whether the description alone decides if the request is valid. */
  decidable: boolean
  /** The framing is broken, so no other request may follow on the connection. */
  broken: boolean
}

export interface Request extends WireRequest {
  target: string
  /** Whether query and body match the description; undefined when the description alone does not decide. */
  valid: boolean | undefined
  broken: boolean
  /** Expected X-Request-Id of the answer, if the request has one. */
  id: string | undefined
  /** The draft from which this request was made. */
  draft: Draft
}
