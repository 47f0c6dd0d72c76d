const [LINE_FEED, RETURN, QUOTE] = [10, 13, 34]

/**
 * Cuts lines without a quote off behind so many bytes and one, so that a reader of CSV can tell that they
 * are too long, and still finds their end. A line with a quote may be part of a record, and stays as it is.
 */
export async function* cutLines(input: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let [length, quoted] = [0, false]
  for await (const chunk of input) {
    // A line that is too long is longer than a piece: only one that goes on from piece to piece can be.
    for (let from = 0; from < chunk.length; from += most) {
      const piece = chunk.subarray(from, from + most)
      const end = firstEnd(piece)
      if (length <= most) quoted ||= piece.subarray(0, end).includes(QUOTE)
      const kept = quoted ? end : Math.min(end, Math.max(0, most + 1 - length))
      if (kept === end) yield piece
      else yield Buffer.concat([piece.subarray(0, kept), piece.subarray(end)])
      length += end
      if (end === piece.length) continue
      const last = piece.subarray(Math.max(piece.lastIndexOf(LINE_FEED), piece.lastIndexOf(RETURN)) + 1)
      length = last.length
      quoted = last.includes(QUOTE)
    }
  }
}

/** Where the line ends that a piece begins with, or its length. */
function firstEnd(piece: Buffer): number {
  const ends = [LINE_FEED, RETURN].map((end) => piece.indexOf(end)).filter((place) => place >= 0)
  return Math.min(piece.length, ...ends)
}
