import type { Readable } from 'node:stream'
import { ApiError } from '../errors.ts'

/**
 * A body with more chunks than this must have an average of MIN_CHUNK_BYTES per chunk, because each chunk has
 * a fixed cost.
 */
const MAX_SMALL_CHUNKS = 2_048
const MIN_CHUNK_BYTES = 16
const INITIAL_BYTES = 1_024

/**
 * Reads a request body into one buffer, so memory use follows the size of the body. A list of chunks could
 * take hundreds of times as much memory, because a client can make the chunks tiny.
 *
 * @param declared Content-Length, or NaN when the header is absent
 * @param maxBytes a larger body is refused, and the rest of it is not read
 * @param done gets an ApiError: `payload_too_large`, or `bad_request` when the client leaves early
 */
export function collectBody(
  payload: Readable,
  declared: number,
  maxBytes: number,
  done: (error: Error | undefined, body: Buffer) => void,
): void {
  const tooLargeMessage = `The body is larger than ${maxBytes} bytes.`
  let body = Buffer.allocUnsafe(declared <= maxBytes ? declared : INITIAL_BYTES)
  let size = 0
  let chunks = 0

  function onChunk(chunk: Buffer): void {
    chunks += 1
    const newSize = size + chunk.length
    if (newSize > maxBytes) {
      finish(tooLarge(tooLargeMessage))
    } else if (chunks > MAX_SMALL_CHUNKS && newSize < chunks * MIN_CHUNK_BYTES) {
      finish(tooLarge('The body arrives in too many small chunks. Send larger chunks.'))
    } else {
      if (newSize > body.length)
        body = Buffer.concat([body.subarray(0, size)], Math.max(newSize, 2 * body.length))
      chunk.copy(body, size)
      size = newSize
    }
  }

  const onEarlyClose = (): void =>
    finish(new ApiError('bad_request', { message: 'The body is incomplete. Send the request again.' }))

  function finish(error?: Error): void {
    payload.off('data', onChunk).off('end', finish).off('error', finish).off('close', onEarlyClose)
    // Discards the rest of the body until the response is sent.
    if (error) payload.on('error', () => undefined).resume()
    done(error, body.subarray(0, size))
  }

  if (declared > maxBytes) done(tooLarge(tooLargeMessage), body)
  // The client may have left during the lookup of the key. A destroyed stream emits no more events.
  else if (payload.destroyed) onEarlyClose()
  else payload.on('data', onChunk).on('end', finish).on('error', finish).on('close', onEarlyClose)
}

function tooLarge(message: string): ApiError {
  return new ApiError('payload_too_large', { message, headers: { connection: 'close' } })
}
