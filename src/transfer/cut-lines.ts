const [LINE_FEED, RETURN, QUOTE] = [10, 13, 34]

/** Stands in place of a line that is too long. No cell that is taken has a NUL. */
export const CUT = '\0too long\0'

/**
 * Puts `CUT` in place of each line of CSV that is too long, so that no reader has to hold it. A quote that such
 * a line opens, or closes, is kept: what comes behind it is read as it would be.
 */
export async function* cutLines(input: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let [begun, length, quotes, inside]: [Buffer[], number, number, boolean] = [[], 0, 0, false]
  const add = (part: Buffer): void => {
    length += part.length
    quotes += quotesIn(part)
    if (length > most) begun = []
    else if (part.length > 0) begun.push(part)
  }
  const take = (): Buffer[] => {
    const line = length > most ? [Buffer.from(cut(inside, quotes))] : begun
    if (quotes % 2 === 1) inside = !inside
    begun = []
    length = 0
    quotes = 0
    return line
  }
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length; from += most) {
      const piece = chunk.subarray(from, from + most)
      const end = firstEnd(piece)
      add(piece.subarray(0, end))
      if (end === piece.length) continue
      yield* take()
      // A line that both begins and ends in a piece is not too long.
      const last = Math.max(piece.lastIndexOf(LINE_FEED), piece.lastIndexOf(RETURN)) + 1
      const whole = piece.subarray(end, last)
      yield whole
      if (quotesIn(whole) % 2 === 1) inside = !inside
      add(piece.subarray(last))
    }
  }
  yield* take()
}

/** @param inside whether a quote is open where the line begins @param quotes in it */
function cut(inside: boolean, quotes: number): string {
  if (quotes % 2 === 0) return CUT
  return inside ? `${CUT}"` : `"${CUT}`
}

function quotesIn(part: Buffer): number {
  let count = 0
  for (let at = part.indexOf(QUOTE); at >= 0; at = part.indexOf(QUOTE, at + 1)) count += 1
  return count
}

/** Where the line ends that a piece begins with, or its length. */
function firstEnd(piece: Buffer): number {
  const ends = [LINE_FEED, RETURN].map((end) => piece.indexOf(end)).filter((index) => index >= 0)
  return Math.min(piece.length, ...ends)
}
