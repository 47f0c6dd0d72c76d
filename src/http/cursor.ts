import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.ts'

/** The length of a signature. 22 base64url characters hold 132 bits. */
const SIGNATURE_CHARACTERS = 22
const CURSOR_PATTERN = /^([\w-]{22})([\w-]+)$/

/** The sort values of the last row that a client got. No other row has the same values. */
export type Position = readonly (number | string)[]

/**
 * Makes a cursor: a signed position that a client can send back. The signature covers the scope, which names
 * the filters and the order. A cursor never expires, and stays valid after its row is deleted.
 */
export function makeCursor(secret: string, scope: string, position: Position): string {
  const text = Buffer.from(JSON.stringify(position).slice(1, -1)).toString('base64url')
  return sign(secret, scope, text) + text
}

/** @throws {ApiError} invalid_cursor when the cursor was changed or belongs to another scope */
export function readCursor<Read extends Position>(secret: string, scope: string, cursor: string): Read {
  const [, signature = '', text = ''] = CURSOR_PATTERN.exec(cursor) ?? []
  if (!signature || !timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, scope, text)))) {
    throw new ApiError('invalid_cursor', {
      details: [
        {
          parameter: 'cursor',
          code: 'invalid_value',
          message: 'This cursor is not valid. Copy it unchanged from a Link header.',
        },
      ],
    })
  }
  // The signature proves that this service made the position for this scope.
  return JSON.parse(`[${Buffer.from(text, 'base64url')}]`)
}

/**
 * Signs a text. With SHA-3, a digest of a secret followed by a text is a valid MAC. SHA-2 would need HMAC,
 * because of length extension.
 */
function sign(secret: string, scope: string, text: string): string {
  return hash('sha3-256', `${secret} ${text} ${scope}`, 'base64url').slice(0, SIGNATURE_CHARACTERS)
}
