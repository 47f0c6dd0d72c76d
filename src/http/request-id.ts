import { randomBytes } from 'node:crypto'

const USABLE_ID = /^[A-Za-z0-9._-]{1,128}$/

/**
 * Matches API keys. An API key is also a valid request id, and a client that sends its key here must not get
 * it into the log.
 */
const CONTAINS_KEY = /adopt_(?:live|test)_/

const start = randomBytes(6).toString('hex')
let count = 0

/** Returns the request's X-Request-Id if it is usable. Otherwise makes a new id. */
export function requestId(inbound: string | string[] | undefined): string {
  if (typeof inbound === 'string' && USABLE_ID.test(inbound) && !CONTAINS_KEY.test(inbound)) return inbound
  count += 1
  return `${start}-${count.toString(36)}`
}
