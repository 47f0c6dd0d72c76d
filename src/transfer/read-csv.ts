import { type CsvError, type Options, parse } from 'csv-parse'
import { type Fields, type Line, quoted, Refused, tooLong as tooLongLine, type Why } from './animal.ts'
import { CUT, cutLines } from './cut-lines.ts'
import { inTurns } from './in-turns.ts'
import { MAPPINGS } from './mappings.ts'
import { utf8Of } from './utf8.ts'

/** Longer than any line; beyond it a quote that nobody closed has swallowed the rest of the file. */
const MAX_RECORD_BYTES = 2 ** 20
/** Characters in the parser's messages about one line. */
const MAX_REPORTED = 2 ** 22
const TOO_LONG = 'CSV_MAX_RECORD_SIZE'

/** What the parser makes of bytes that are not UTF-8. */
const REPLACEMENT = '\uFFFD'

const NOT_UTF8: Why = {
  code: 'not_utf8',
  message: 'It is not UTF-8. Save the file anew with that encoding.',
}

interface Read {
  number: number
  cells?: string[]
  problem?: Why
}

/** Spreadsheet programs take the second where numbers have a comma; the third is in what they copy. */
const SEPARATORS = [',', ';', '\t']

interface Columns {
  /** Without them this is another kind of file. */
  required: readonly string[]
  /** Read where they are there. */
  others: readonly string[]
  /** In place of the headings. */
  names?: readonly string[] | undefined
}

/**
 * CSV (RFC 4180) with a line of headings; cells that are empty are left out of what it yields.
 *
 * @throws when one of them is missing, or is there in another case
 */
export async function* readCsv(
  input: AsyncIterable<Buffer>,
  firstLine: string,
  { required, others, names }: Columns,
): AsyncGenerator<Line> {
  let headings: string[] | undefined
  const { bytes, isUtf8 } = utf8Of(input)
  for await (const { number, cells, problem } of recordsOf(bytes, separatorOf(firstLine, required))) {
    if (problem !== undefined && number === 1) throw new Error(`the headings in line 1: ${problem.message}`)
    if (problem !== undefined) yield { number, problem }
    else if (cells && !headings) headings = checked([...(names ?? cells)], required, others)
    else if (cells && headings && !isUtf8() && cells.some((cell) => cell.includes(REPLACEMENT)))
      yield { number, problem: NOT_UTF8 }
    else if (cells && headings) yield { number, ...toFields(headings, cells) }
  }
  if (!headings) checked([], required, others)
}

/**
 * The one by which the columns are there, in any case; so a file with commas is never read otherwise. Without
 * those columns, the one that the line has most.
 */
export function separatorOf(firstLine: string, required: readonly string[]): string {
  const fits = (separator: string): boolean => {
    const headings = firstLine.split(separator).map((heading) => folded(heading.replace(/^"(.*)"$/, '$1')))
    return required.every((column) => headings.includes(folded(column)))
  }
  const bare = firstLine.replaceAll(/"[^"]*"/g, '')
  const [most = ','] = SEPARATORS.toSorted((one, other) => bare.split(other).length - bare.split(one).length)
  return SEPARATORS.find(fits) ?? most
}

function checked(headings: string[], required: readonly string[], others: readonly string[]): string[] {
  const missing = required.filter((column) => !headings.includes(column))
  const other = missing.length > 0 ? programOf(headings) : undefined
  if (other) {
    const message = `the file looks like an export of another program: say --from ${other}`
    throw new Refused({ code: 'other_program', value: other, message })
  }
  for (const column of [...required, ...others].filter((name) => !headings.includes(name))) {
    const alike = headings.find((heading) => folded(heading) === folded(column))
    const message = alike && `the column ${shown([alike])} of the file has to be called ${column}`
    if (message) throw new Refused({ code: 'column_case', value: column, message })
  }
  if (missing.length > 0) {
    const names = missing.join(', ')
    const message = `the file has no column ${names}; its first line has ${shown(headings)}`
    throw new Refused({ code: 'missing_column', value: names, message })
  }
  const met = new Set<string>()
  const twice = headings.find((heading) => heading !== '' && met.size === met.add(heading).size)
  if (twice) {
    const message = `the file has two columns ${shown([twice])}`
    throw new Refused({ code: 'column_twice', value: quoted(twice), message })
  }
  return headings
}

/** The program whose columns these are. */
export function programOf(headings: string[]): string | undefined {
  return Object.keys(MAPPINGS).find((name) => {
    const columns = MAPPINGS[name]?.columns ?? []
    return columns.length > 0 && columns.every((column) => headings.includes(column))
  })
}

function folded(heading: string): string {
  return heading.trim().toLowerCase()
}

/** For the terminal. */
function shown(headings: string[]): string {
  const text = headings.join(', ').slice(0, 300)
  return text.replaceAll(/\p{Cc}/gu, '?') || 'nothing'
}

function toFields(headings: string[], cells: string[]): { value: Fields } | { problem: Why } {
  if (cells.length !== headings.length) {
    const message = `It has ${cells.length} cells where the first line of the file has ${headings.length}.`
    return { problem: { code: 'other_cells', message } }
  }
  const filled = headings.map((heading, index) => [heading, cells[index]]).filter(([, cell]) => cell !== '')
  return { value: Object.fromEntries(filled) }
}

/** Each record, and each part of the file that is none, with the line where it begins. */
export async function* recordsOf(input: AsyncIterable<Buffer>, separator: string): AsyncGenerator<Read> {
  const read: Read[] = []
  const count = lineCounter()
  let [begin, reportedLine, reported] = [0, 0, 0]
  let failure: unknown
  const options: Options<Read, string[]> = {
    bom: true,
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_RECORD_BYTES,
    on_record(cells, { lines }) {
      read.push({ number: count(lines, cells), ...ofFairSize(cells) })
      return null
    },
    on_skip(error: CsvError | undefined): undefined {
      const lines = Number(error?.lines)
      const isNew = lines !== reportedLine
      if (isNew) begin = count(lines)
      reportedLine = lines
      // The parser reports each stray quote in a line, and repeats the cell so far in each message.
      reported = (isNew ? 0 : reported) + (error?.message.length ?? 0)
      if (error?.code === TOO_LONG)
        throw neverClosed(begin, `the record that begins there is longer than ${MAX_RECORD_BYTES} bytes`)
      if (reported > MAX_REPORTED) throw neverClosed(begin, 'it has too many quotes in the middle of cells')
      if (isNew) read.push({ number: begin, problem: problemOf(begin, count.last()) })
    },
  }
  const parser = parse(options as unknown as Options)
  parser.on('error', (error) => {
    failure = error
  })
  for await (const bytes of inTurns(cutLines(input, MAX_RECORD_BYTES))) {
    await new Promise((resolve) => parser.write(bytes, resolve))
    yield* read.splice(0)
    if (failure) throw failure
  }
  await new Promise<void>((resolve) => parser.end(resolve))
  yield* read.splice(0)
  if (failure) throw failure
}

function neverClosed(line: number, what: string): Refused {
  const message = `line ${line}: ${what}; look for a quote that is never closed`
  return new Refused({ code: 'open_quote', value: String(line), message })
}

function ofFairSize(cells: string[]): Pick<Read, 'cells' | 'problem'> {
  const isCut = cells.some((cell) => cell.includes(CUT))
  return isCut ? { problem: tooLongLine(MAX_RECORD_BYTES) } : { cells }
}

function problemOf(first: number, last: number): Why {
  const where = last > first ? `Lines ${first} to ${last} are` : 'It is'
  const message = `${where} not CSV: a cell that holds a quote stands in quotes, with each of its own written twice.`
  return { code: 'not_csv', message }
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
