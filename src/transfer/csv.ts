import { type CsvError, type Options, parse } from 'csv-parse'
import { yieldToEventLoop } from '../http/turns.ts'
import type { Fields, Line } from './animal.ts'
import { REPEATABLE } from './headings.ts'
import { findProgram } from './mappings/all.ts'
import { RefusalError, type RefusalReason, shorten, tooLong, tooMany } from './report.ts'
import {
  findHeadings,
  foldHeading,
  isBlank,
  isTotal,
  MAX_TITLE_ROWS,
  namedSeparator,
  type Row,
  reasonRemover,
  SEPARATORS,
  type TableShape,
} from './table.ts'

// Reads CSV (RFC 4180) in steps: bytes → lines that are not too long → records → lines with named cells.

/** Maximum number of cells in a line. Far more columns than any program exports. */
const MAX_CELLS = 1_000
/** Maximum length of a record. A record is longer only if a quote is never closed. */
const MAX_RECORD_BYTES = 2 ** 20
const TOO_LONG = 'CSV_MAX_RECORD_SIZE'

/** The parser replaces bytes that are not UTF-8 with this character. */
const REPLACEMENT = '\uFFFD'

const NOT_UTF8: RefusalReason = {
  code: 'not_utf8',
  message: 'This line is not UTF-8. Save the file again with that encoding.',
}

interface Columns {
  /** Columns that the file must have. */
  required: readonly string[]
  /** Columns that the file may have. */
  others: readonly string[]
  /** Names that replace the headings of the file. */
  names?: readonly string[] | undefined
}

/**
 * Yields the lines of a file after its headings, without empty cells.
 * @throws {RefusalError} if a column is missing or its heading differs in case
 */
export async function* readCsv(
  input: AsyncIterable<Buffer>,
  { separator, headings: found, withoutReason }: TableShape,
  { required, others, names }: Columns,
): AsyncGenerator<Line> {
  const first = found?.number ?? 1
  let headings: string[] | undefined
  let heading = ''
  let columns: Set<string> | undefined
  const { bytes, isUtf8 } = watchUtf8(input)
  for await (const { number, cells: all, problem } of readRecords(bytes, separator)) {
    const cells = all && withoutReason(all)
    if (number < first) {
      if (cells && !isBlank(cells) && !/^sep=/i.test(cells[0] ?? '')) yield { number, isNoAnimal: true }
      continue
    }
    if (problem !== undefined && number === first)
      throw new RefusalError(`the headings on line ${first}: ${problem.message}`)
    if (problem !== undefined) yield { number, problem }
    else if (!cells || isBlank(cells)) continue
    else if (!headings) {
      headings = checkHeadings([...(names ?? cells)], { required, others, number, cells })
      heading = cells.join('\n')
    } else if (isTotal(cells) || cells.join('\n') === heading) yield { number, isNoAnimal: true }
    else if (!isUtf8() && cells.some((cell) => cell.includes(REPLACEMENT)))
      yield { number, problem: NOT_UTF8 }
    else {
      columns ??= new Set(headings)
      yield { number, cells, columns, ...nameCells(headings, cells) }
    }
  }
  if (!headings) checkHeadings([], { required, others, number: 1, cells: [] })
}

/** Tracks whether all bytes so far are UTF-8, because a valid file may contain U+FFFD too. */
function watchUtf8(input: AsyncIterable<Buffer>): { bytes: AsyncIterable<Buffer>; isUtf8: () => boolean } {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of input) {
      try {
        if (isUtf8) decoder.decode(chunk, { stream: true })
      } catch {
        isUtf8 = false
      }
      yield chunk
    }
  }
  return { bytes: bytes(), isUtf8: () => isUtf8 }
}

/** Rows after these bytes are not searched for headings. */
const MAX_HEAD_BYTES = 2 ** 16

/** Finds the separator and the headings of a file by its first bytes. */
export async function findTable(head: Buffer): Promise<TableShape> {
  const text = head.toString().replace(/^\uFEFF/, '')
  const [firstLine = ''] = text.split(/[\r\n]/, 1)
  const named = namedSeparator(firstLine)
  const bare = firstLine.replaceAll(/"[^"]*"/g, '')
  const byCount = SEPARATORS.toSorted((one, other) => bare.split(other).length - bare.split(one).length)
  let best: (TableShape & { score: number }) | undefined
  for (const separator of named === undefined ? byCount : [named]) {
    const rows = await readHead(Buffer.from(text), separator, named === undefined ? 1 : 2)
    const { headings, score } = findHeadings(rows)
    const example = rows.find((row) => row.number > (headings?.number ?? 0) && !isBlank(row.cells))
    if (best && score <= best.score) continue
    const withoutReason = reasonRemover(headings?.cells)
    best = {
      ...{ separator, withoutReason, score, example: withoutReason(example?.cells ?? []) },
      headings: headings && { ...headings, cells: withoutReason(headings.cells) },
    }
  }
  return best as TableShape
}

/** Reads the first rows of a file, as far as they are CSV. @param from the line to begin with */
async function readHead(head: Buffer, separator: string, from: number): Promise<Row[]> {
  const rows: Row[] = []
  let filled = 0
  try {
    for await (const { number, cells } of readRecords(
      inPieces([head.subarray(0, MAX_HEAD_BYTES)]),
      separator,
    )) {
      if (cells && number >= from) rows.push({ number, cells })
      if (cells && !isBlank(cells)) filled += 1
      if (filled > MAX_TITLE_ROWS + 1) break
    }
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
  }
  return rows
}

interface HeadingRules extends Columns {
  /** The line of the headings. */
  number: number
  /** The headings as they are in the file. */
  cells: string[]
}

function checkHeadings(headings: string[], { required, others, number, cells }: HeadingRules): string[] {
  const missing = required.filter((column) => !headings.includes(column))
  const other = missing.length > 0 ? findProgram(headings) : undefined
  if (other) {
    const message = `the file looks like an export from another program: use --from ${other}`
    throw new RefusalError({ code: 'other_program', value: other, message })
  }
  for (const column of [...required, ...others].filter((name) => !headings.includes(name))) {
    const alike = headings.find((heading) => foldHeading(heading) === foldHeading(column))
    const message = alike && `rename the column ${formatHeadings([alike])} of the file to ${column}`
    if (message) throw new RefusalError({ code: 'column_case', value: column, message })
  }
  if (missing.length > 0) {
    const names = missing.join(', ')
    const line = number === 1 ? 'its first line' : `line ${number}`
    const message = `the file has no column named ${names}; ${line} has ${formatHeadings(cells)}`
    throw new RefusalError({ code: 'missing_column', value: names, message })
  }
  const seen = new Set<string>()
  const duplicate = headings.find(
    (heading) => heading !== '' && !REPEATABLE.has(heading) && seen.size === seen.add(heading).size,
  )
  if (duplicate) {
    const message = `the file has two columns named ${formatHeadings([duplicate])}`
    throw new RefusalError({ code: 'column_twice', value: shorten(duplicate), message })
  }
  return headings
}

/** Headings for a message on a terminal. */
function formatHeadings(headings: string[]): string {
  const text = headings.join(', ').slice(0, 300)
  return text.replaceAll(/\p{Cc}/gu, '?') || 'nothing'
}

/** Spreadsheet programs leave out empty cells at the end of a row, or write more of them. */
function nameCells(headings: string[], cells: string[]): { value: Fields } | { problem: RefusalReason } {
  if (!isBlank(cells.slice(headings.length))) {
    const message = `It has ${cells.length} cells, but the headings have ${headings.length}.`
    return { problem: { code: 'other_cells', message } }
  }
  const filled = new Map<string, string>()
  for (const [index, heading] of headings.entries()) {
    const cell = cells[index] ?? ''
    const before = filled.get(heading)
    // Several columns may fill one list or text.
    if (cell !== '') filled.set(heading, before === undefined ? cell : `${before}\n${cell}`)
  }
  return { value: Object.fromEntries(filled) }
}

interface CsvRecord {
  /** The line on which the record begins. */
  number: number
  cells?: string[]
  problem?: RefusalReason
}

/**
 * Yields each record, and a problem for each part of the file that is not CSV.
 * @param input the result of `inPieces`, because the parser does not yield to other work within a piece
 */
export async function* readRecords(
  input: AsyncIterable<Buffer>,
  separator: string,
): AsyncGenerator<CsvRecord> {
  const records: CsvRecord[] = []
  const count = createLineCounter()
  let failure: unknown
  const options: Options<CsvRecord, { raw: string; record: string[] }> = {
    bom: true,
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: MAX_RECORD_BYTES,
    raw: true,
    on_record({ raw, record: cells }, { lines }) {
      const number = count(lines, cells)
      const problem = hasMisreadCell(cells, raw) ? notCsv(number, count.last()) : undefined
      records.push({ number, ...(problem ? { problem } : checkCells(cells)) })
      return null
    },
    on_skip(error: CsvError | undefined): undefined {
      const begin = count(Number(error?.lines))
      if (error?.code === TOO_LONG)
        throw unclosedQuote(begin, `the record that begins there is longer than ${MAX_RECORD_BYTES} bytes`)
      records.push({ number: begin, problem: notCsv(begin, count.last()) })
    },
  }
  const parser = parse(options as unknown as Options)
  parser.on('error', (error) => {
    failure = error
  })
  for await (const bytes of replaceLongLines(input, MAX_RECORD_BYTES)) {
    await yieldToEventLoop()
    await new Promise((resolve) => parser.write(bytes, resolve))
    yield* records.splice(0)
    if (failure) throw failure
  }
  await new Promise<void>((resolve) => parser.end(resolve))
  yield* records.splice(0)
  if (failure) throw failure
}

function unclosedQuote(line: number, what: string): RefusalError {
  const message = `line ${line}: ${what}; look for a quote that is never closed`
  return new RefusalError({ code: 'open_quote', value: String(line), message })
}

/**
 * Whether it is unknown where a cell ends: it has several lines but does not end at its closing quote, or it
 * has spaces before its opening quote. Such a cell is not in the text of the record with its quotes doubled.
 */
function hasMisreadCell(cells: string[], raw: string): boolean {
  let from = 0
  return cells.some((cell) => {
    if (!/^\s*"/.test(cell) || !/^\s|[\r\n]/.test(cell)) return false
    const quoted = `"${cell.replaceAll('"', '""')}"`
    const at = raw.indexOf(quoted, from)
    from = at + quoted.length
    return at < 0
  })
}

function checkCells(cells: string[]): Pick<CsvRecord, 'cells' | 'problem'> {
  if (cells.length > MAX_CELLS) return { problem: tooMany(MAX_CELLS, 'cells') }
  return cells.some((cell) => cell.includes(LONG_LINE)) ? { problem: tooLong(MAX_RECORD_BYTES) } : { cells }
}

function notCsv(first: number, last: number): RefusalReason {
  const where = last > first ? `Lines ${first} to ${last} are` : 'It is'
  const message = `${where} not valid CSV: enclose a cell with quotes in quotes, and double the quotes inside it.`
  return { code: 'not_csv', message }
}

function countOccurrences(mark: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) count += 1
  return count
}

/** Computes the first line of each record. The parser gives the last one, and counts CRLF in cells twice. */
function createLineCounter() {
  let [last, countedTwice] = [0, 0]
  const count = (lines: number, cells: string[] = []): number => {
    const previous = last
    let inside = 0
    if (lines - countedTwice > last + 1) {
      const text = cells.join(' ')
      const pairs = countOccurrences('\r\n', text)
      countedTwice += pairs
      inside = countOccurrences('\n', text) + countOccurrences('\r', text) - pairs
    }
    last = lines - countedTwice
    return cells.length > 0 ? last - inside : previous + 1
  }
  return Object.assign(count, { last: () => last })
}

const [LINE_FEED, RETURN, QUOTE] = [10, 13, 34]

/** Replaces a line that is too long. Valid cells never contain NUL. */
const LONG_LINE = '\0too long\0'

/**
 * Replaces each line that is too long with `LONG_LINE`, to save memory in the parser. Keeps a quote that the
 * line opens or closes, so the lines after it are parsed as before.
 */
async function* replaceLongLines(input: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let [parts, length, quotes, inside]: [Buffer[], number, number, boolean] = [[], 0, 0, false]
  const add = (part: Buffer): void => {
    length += part.length
    quotes += countQuotes(part)
    if (length > maxBytes) parts = []
    else if (part.length > 0) parts.push(part)
  }
  const take = (): Buffer[] => {
    const line = length > maxBytes ? [Buffer.from(placeholder(inside, quotes))] : parts
    if (quotes % 2 === 1) inside = !inside
    parts = []
    length = 0
    quotes = 0
    return line
  }
  for await (const piece of input) {
    const end = findLineEnd(piece)
    add(piece.subarray(0, end))
    if (end === piece.length) continue
    yield* take()
    // A line that begins and ends in the same piece is not too long.
    const last = Math.max(piece.lastIndexOf(LINE_FEED), piece.lastIndexOf(RETURN)) + 1
    const whole = piece.subarray(end, last)
    yield whole
    if (countQuotes(whole) % 2 === 1) inside = !inside
    add(piece.subarray(last))
  }
  yield* take()
}

/** @param inside whether the line begins within quotes @param quotes the number of quotes in the line */
function placeholder(inside: boolean, quotes: number): string {
  if (quotes % 2 === 0) return LONG_LINE
  return inside ? `${LONG_LINE}"` : `"${LONG_LINE}`
}

function countQuotes(part: Buffer): number {
  let count = 0
  for (let at = part.indexOf(QUOTE); at >= 0; at = part.indexOf(QUOTE, at + 1)) count += 1
  return count
}

/** The position of the first line end, or the length of the piece. */
function findLineEnd(piece: Buffer): number {
  const ends = [LINE_FEED, RETURN].map((end) => piece.indexOf(end)).filter((index) => index >= 0)
  return Math.min(piece.length, ...ends)
}

/** The parser takes up to 40 ms for this many bytes: it makes an error with a stack for each stray quote. */
const PIECE_BYTES = 2 ** 10

/** Yields the input in small pieces. Data that is already in memory would otherwise block other work. */
export async function* inPieces(input: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of input)
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      await yieldToEventLoop()
      yield chunk.subarray(from, from + PIECE_BYTES)
    }
}
