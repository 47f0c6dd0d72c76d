import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.ts'

const POSITION_BYTES = 8
const SIGNATURE_BYTES = 16
const FORM = /^[A-Za-z0-9_-]{32}$/

/**
 * A place in a list as a client may carry it: the id of the last row it got, signed together with the scope,
 * which says the filters and the order. It never expires; a row that is gone meanwhile does not matter.
 */
export function makeCursor(secret: KeyObject, scope: string, lastId: number): string {
  const position = Buffer.alloc(POSITION_BYTES)
  position.writeBigInt64BE(BigInt(lastId))
  return Buffer.concat([position, sign(secret, scope, position)]).toString('base64url')
}

/** @throws {ApiError} invalid_cursor when it is damaged, or belongs to another scope */
export function readCursor(secret: KeyObject, scope: string, cursor: string): number {
  const bytes = Buffer.from(FORM.test(cursor) ? cursor : '', 'base64url')
  const position = bytes.subarray(0, POSITION_BYTES)
  const signature = bytes.subarray(POSITION_BYTES)
  if (signature.length !== SIGNATURE_BYTES || !timingSafeEqual(signature, sign(secret, scope, position))) {
    throw new ApiError('invalid_cursor', {
      details: [{ parameter: 'cursor', code: 'invalid_value', message: 'Take it whole from a Link header.' }],
    })
  }
  return Number(position.readBigInt64BE())
}

function sign(secret: KeyObject, scope: string, position: Buffer): Buffer {
  const signature = createHmac('sha256', secret).update(position).update(scope).digest()
  return signature.subarray(0, SIGNATURE_BYTES)
}
