import { yieldToEventLoop } from '../http/turns.ts'

/**
 * The CSV parser takes up to 40 ms for this many bytes, because it makes an error with a stack trace for each
 * stray quote.
 */
const PIECE_BYTES = 2 ** 10

/** Yields the input in small pieces. Data that is already in memory would otherwise block other work. */
export async function* inPieces(input: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of input)
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      await yieldToEventLoop()
      yield chunk.subarray(from, from + PIECE_BYTES)
    }
}
