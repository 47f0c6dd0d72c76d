import { Readable } from 'node:stream'
import { type CsvError, type Options, parse } from 'csv-parse'
import type { Fields, Line } from './animal.ts'

/** Longer than any line; beyond it a quote that nobody closed has swallowed the rest of the file. */
const MOST_RECORD_BYTES = 2 ** 20
const TOO_LONG = 'CSV_MAX_RECORD_SIZE'

/** What takes the place of bytes that are not UTF-8. */
const REPLACEMENT = '\uFFFD'

interface Read {
  number: number
  cells?: string[]
  problem?: string
}

/**
 * CSV (RFC 4180) with a line of headings; cells that are empty are left out of what it yields.
 *
 * @param columns those without which this is another kind of file
 * @throws when one of them is missing
 */
export async function* readCsv(
  input: AsyncIterable<Buffer>,
  columns: readonly string[],
): AsyncGenerator<Line> {
  let headings: string[] | undefined
  for await (const { number, cells, problem } of recordsOf(input)) {
    if (problem !== undefined) yield { number, problem }
    else if (cells && !headings) headings = checked(cells, columns)
    else if (cells && headings) yield { number, ...toFields(headings, cells) }
  }
  if (!headings) checked([], columns)
}

function checked(headings: string[], columns: readonly string[]): string[] {
  const missing = columns.filter((column) => !headings.includes(column))
  if (missing.length > 0) {
    const there =
      headings
        .join(', ')
        .slice(0, 300)
        .replaceAll(/\p{Cc}/gu, '?') || 'nothing'
    throw new Error(`the file has no column ${missing.join(', ')}; its first line has ${there}`)
  }
  const twice = headings.find((heading, place) => heading !== '' && headings.indexOf(heading) !== place)
  if (twice) throw new Error(`the file has two columns ${twice}`)
  return headings
}

function toFields(headings: string[], cells: string[]): { value: Fields } | { problem: string } {
  if (cells.length !== headings.length) {
    return {
      problem: `It has ${cells.length} cells where the first line of the file has ${headings.length}.`,
    }
  }
  if (cells.some((cell) => cell.includes(REPLACEMENT))) {
    return { problem: 'It is not UTF-8. Save the file anew with that encoding.' }
  }
  const filled = headings.map((heading, place) => [heading, cells[place]]).filter(([, cell]) => cell !== '')
  return { value: Object.fromEntries(filled) }
}

/** Each record, and each part of the file that is none, with the line where it begins. */
async function* recordsOf(input: AsyncIterable<Buffer>): AsyncGenerator<Read> {
  const skipped: Read[] = []
  const count = lineCounter()
  let tooLong: number | undefined
  const options: Options<Read, string[]> = {
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MOST_RECORD_BYTES,
    on_record: (cells, { lines }) => ({ number: count(lines, cells), cells }),
    on_skip(error: CsvError | undefined): undefined {
      const lines = Number(error?.lines)
      const number = count(lines)
      if (error?.code === TOO_LONG) tooLong ??= number
      else if (tooLong === undefined) skipped.push({ number, problem: problemOf(number, count.last()) })
    },
  }
  const parser = parse(options as unknown as Options)
  const source = Readable.from(input, { objectMode: false })
  source.on('error', (error) => parser.destroy(error))
  for await (const record of source.pipe(parser) as AsyncIterable<Read>) {
    yield* skipped.splice(0)
    if (tooLong !== undefined && record.number > tooLong) break
    yield record
  }
  yield* skipped.splice(0)
  if (tooLong !== undefined) throw new Error(`line ${tooLong}: a quote is opened there, and never closed`)
}

function problemOf(first: number, last: number): string {
  const where = last > first ? `Lines ${first} to ${last} are` : 'It is'
  return `${where} not CSV: a cell that holds a quote stands in quotes, with each of its own written twice.`
}

/** The parser tells where a record ends, and counts a line end of two characters in a cell twice. */
function lineCounter() {
  let [last, countedTwice] = [0, 0]
  const count = (lines: number, cells: string[] = []): number => {
    const previous = last
    let inside = 0
    if (lines - countedTwice > last + 1) {
      const text = cells.join(' ')
      countedTwice += text.split('\r\n').length - 1
      inside = text.split(/\r\n|\r|\n/).length - 1
    }
    last = lines - countedTwice
    return cells.length > 0 ? last - inside : previous + 1
  }
  return Object.assign(count, { last: () => last })
}
