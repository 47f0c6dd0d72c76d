import type { Readable } from 'node:stream'
import { ApiError } from '../errors.ts'

/** From so many pieces on, each has to hold something: one of a byte costs the same as one of thousands. */
const MAX_SMALL_PIECES = 2_048
const MIN_PIECE_BYTES = 16
const FIRST_BYTES = 1_024

/**
 * Reads a body whole. It takes no more memory than it has bytes: to keep the pieces in which it comes would
 * take hundreds of times as much, if a client made them small.
 *
 * @param declared its Content-Length, NaN when it has none
 * @param mostBytes of a larger one nothing more is read
 */
export function collectBody(
  payload: Readable,
  declared: number,
  mostBytes: number,
  done: (error: Error | undefined, body: Buffer) => void,
): void {
  const largerThan = `The body is larger than ${mostBytes} bytes.`
  let body = Buffer.allocUnsafe(declared <= mostBytes ? declared : FIRST_BYTES)
  let size = 0
  let pieces = 0

  function onPiece(piece: Buffer): void {
    pieces += 1
    const needed = size + piece.length
    if (needed > mostBytes) {
      end(tooLarge(largerThan))
    } else if (pieces > MAX_SMALL_PIECES && needed < pieces * MIN_PIECE_BYTES) {
      end(tooLarge('The body comes in too many small pieces.'))
    } else {
      if (needed > body.length)
        body = Buffer.concat([body.subarray(0, size)], Math.max(needed, 2 * body.length))
      piece.copy(body, size)
      size = needed
    }
  }

  function end(error?: Error): void {
    payload.off('data', onPiece).off('end', end).off('error', end)
    // What still comes, until the answer is out, is thrown away.
    if (error) payload.on('error', () => undefined).resume()
    done(error, body.subarray(0, size))
  }

  if (declared > mostBytes) done(tooLarge(largerThan), body)
  else payload.on('data', onPiece).on('end', end).on('error', end)
}

function tooLarge(message: string): ApiError {
  return new ApiError('payload_too_large', { message, headers: { connection: 'close' } })
}
