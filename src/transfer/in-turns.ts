import { takeTurns } from '../search/turns.ts'

/** So many bytes are read at once, whatever they hold. */
const PIECE = 2 ** 12

/** The same bytes, with others let in between: what is in memory already would be read in one turn. */
export async function* inTurns(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length; from += PIECE) {
      await takeTurns()
      yield chunk.subarray(from, from + PIECE)
    }
  }
}
