import { yieldToEventLoop } from '../http/turns.ts'

/** If each cell has a stray quote, the CSV parser takes about 20 ms for so many bytes. */
const PIECE_BYTES = 2 ** 12

/** Yields the input in small pieces. Data that is already in memory would otherwise block other work. */
export async function* inPieces(input: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of input)
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      await yieldToEventLoop()
      yield chunk.subarray(from, from + PIECE_BYTES)
    }
}
