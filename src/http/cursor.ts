import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.ts'

/** 132 bits, as many as these characters hold. */
const SIGNATURE_CHARACTERS = 22
const FORM = /^([\w-]{22})([\w-]+)$/

/** The values by which a list is ordered, of the last row that a client got: all of them are of no other. */
export type Position = readonly (number | string)[]

/**
 * A place in a list as a client may carry it: a position, signed together with the scope, which says the
 * filters and the order. It never expires; a row that is gone meanwhile does not matter.
 */
export function makeCursor(secret: string, scope: string, position: Position): string {
  const text = Buffer.from(JSON.stringify(position).slice(1, -1)).toString('base64url')
  return sign(secret, scope, text) + text
}

/** @throws {ApiError} invalid_cursor when it is damaged, or belongs to another scope */
export function readCursor<Read extends Position>(secret: string, scope: string, cursor: string): Read {
  const [, signature = '', text = ''] = FORM.exec(cursor) ?? []
  if (!signature || !timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, scope, text)))) {
    throw new ApiError('invalid_cursor', {
      details: [{ parameter: 'cursor', code: 'invalid_value', message: 'Take it whole from a Link header.' }],
    })
  }
  // What was signed is ours, and of the kind that its scope has.
  return JSON.parse(`[${Buffer.from(text, 'base64url')}]`)
}

/** A MAC: nobody can add to what a SHA-3 digest was made of. To that of SHA-2 one can, which needs HMAC. */
function sign(secret: string, scope: string, text: string): string {
  return hash('sha3-256', `${secret} ${text} ${scope}`, 'base64url').slice(0, SIGNATURE_CHARACTERS)
}
