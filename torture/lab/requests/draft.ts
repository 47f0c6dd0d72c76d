import type { Wire } from '../wire.ts'
import type { Operation } from './description.ts'

/** A request while it is put together. */
export interface Draft {
  operation: Operation
  method: string
  /** With /v1, or anything else in its place. */
  path: string
  query: [name: string, value: string][]
  headers: [name: string, value: string][]
  body?: string | Buffer
  /** Whether the description alone tells if it may be accepted. */
  judged: boolean
  /** Its framing is spoilt, so that nothing may follow it on the connection. */
  broken: boolean
}

export interface Request extends Wire {
  target: string
  /** Whether its query and its body are as described; nothing when the description alone does not tell. */
  fits: boolean | undefined
  broken: boolean
  /** What X-Request-Id has to be in the answer, if that was sent. */
  id: string | undefined
  /** What it was made from. */
  draft: Draft
}
