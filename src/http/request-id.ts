import { randomBytes } from 'node:crypto'

const KEPT = /^[A-Za-z0-9._-]{1,128}$/

/** A key has the letters of a request id; sent as one by mistake, it would reach the log. */
const LIKE_A_KEY = /adopt_(?:live|test)_/

const start = randomBytes(6).toString('hex')
let count = 0

/** The request's X-Request-Id when it is usable, else a new one. */
export function requestId(inbound: string | string[] | undefined): string {
  if (typeof inbound === 'string' && KEPT.test(inbound) && !LIKE_A_KEY.test(inbound)) return inbound
  count += 1
  return `${start}-${count.toString(36)}`
}
