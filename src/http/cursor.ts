import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.ts'

/** 132 bits, as many as these characters hold. */
const SIGNATURE_CHARACTERS = 22
const BASE = 36
const FORM = /^([\w-]{22})([0-9a-z]{1,11})$/

/**
 * A place in a list as a client may carry it: the id of the last row it got, signed together with the scope,
 * which says the filters and the order. It never expires; a row that is gone meanwhile does not matter.
 */
export function makeCursor(secret: string, scope: string, lastId: number): string {
  const position = lastId.toString(BASE)
  return sign(secret, scope, position) + position
}

/** @throws {ApiError} invalid_cursor when it is damaged, or belongs to another scope */
export function readCursor(secret: string, scope: string, cursor: string): number {
  const [, signature = '', position = ''] = FORM.exec(cursor) ?? []
  if (!signature || !timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, scope, position)))) {
    throw new ApiError('invalid_cursor', {
      details: [{ parameter: 'cursor', code: 'invalid_value', message: 'Take it whole from a Link header.' }],
    })
  }
  return Number.parseInt(position, BASE)
}

/** A MAC: nobody can add to what a SHA-3 digest was made of. To that of SHA-2 one can, which needs HMAC. */
function sign(secret: string, scope: string, position: string): string {
  return hash('sha3-256', `${secret} ${position} ${scope}`, 'base64url').slice(0, SIGNATURE_CHARACTERS)
}
