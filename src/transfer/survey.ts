import { hashOf } from '../places/gazetteer.ts'
import { yieldToEventLoop } from '../search/turns.ts'
import { fold } from '../search/words.ts'
import { type Fields, type Locale, orderFor, US_LOCALE } from './animal.ts'
import { type DateOrder, orderShownBy, parseDate } from './dates.ts'
import { findEncoding, findMojibake } from './encoding.ts'
import { guessColumns } from './headings.ts'
import { IdSet } from './id-set.ts'
import { createTableMapping, findOwnColumns } from './mappings/chosen.ts'
import {
  animalLines,
  findName,
  getFields,
  getSourceId,
  type ImportFile,
  openOwnTable,
  peek,
  type ReadOptions,
  type RepeatedId,
  repeatKeyOf,
} from './read.ts'
import { addNote, MAX_NOTED_LINES, type Note, RefusalError, shorten } from './report.ts'

// Reads a file once before the import, to find out what only the whole file shows. Writes nothing.

export interface Survey {
  /** How to read the file. */
  reading: ReadOptions
  /** The ids that more than one animal of the file has. */
  repeated: ReadonlyMap<string, RepeatedId>
  /** How the file is read, as far as it was not certain. */
  notes: Note[]
}

/**
 * Surveys a file.
 *
 * @throws {RefusalError} if a person must first choose how to read the file
 */
export async function surveyFile(file: ImportFile, options: ReadOptions): Promise<Survey> {
  const notes: Note[] = []
  const { mayBeDamaged, ...found } = await readEncoding(file, options, notes)
  const encoded = { ...options, ...found }
  const reading = await guessTable(file, encoded, notes)
  const dates = new DateColumns(reading)
  const ids = new IdSet()
  let mayRepeat = false
  if (isOwnLines(reading) && reading.idColumn === undefined) return { reading, repeated: new Map(), notes }
  for await (const { line, fields, id } of animalsOf(file, reading, notes)) {
    const damaged = mayBeDamaged ? findMojibake(Object.values(fields)) : undefined
    if (damaged !== undefined) addNote(notes, 'mojibake', line, damaged)
    if (id !== undefined && !ids.add(id)) mayRepeat = true
    dates.add(line, fields)
  }
  const locale: Locale = { ...(reading.locale ?? US_LOCALE), dateOrders: dates.decide(notes) }
  const read = { ...reading, locale, mayBeDamaged }
  const repeated = mayRepeat ? await findRepeated(file, read, ids) : new Map<string, RepeatedId>()
  const stays = [...repeated.values()].filter(({ isShared }) => !isShared)
  if (stays.length > 0) notes.push(describeRepeated(stays))
  return { reading: read, repeated, notes }
}

/** Reads a table with the headings of a shelter like the console, which asks about them. */
async function guessTable(file: ImportFile, reading: ReadOptions, notes: Note[]): Promise<ReadOptions> {
  const table =
    reading.guessesColumns && reading.format === 'csv' && (await openOwnTable(file, reading.encoding))
  if (!table) return reading
  const { headings } = table
  const own = findOwnColumns(headings)
  const open = headings
    .map((heading, index) => ({ heading, index }))
    .filter(({ heading, index }) => !own.has(index) && heading.trim() !== '')
  const guessed = guessColumns(
    open,
    [...own].map((index) => headings[index] ?? ''),
  )
  if (open.length === 0) return reading
  const id = reading.idColumn === undefined ? -1 : headings.indexOf(reading.idColumn)
  const columns = { columns: new Map(guessed), id: id < 0 ? undefined : id, keepsOthers: true }
  const mapping = createTableMapping(headings, columns)
  const names = guessed.map(([index, column]) => `${shorten(headings[index] ?? '')} as ${column}`)
  if (names.length > 0) notes.push({ code: 'guessed_columns', columns: names })
  return { ...reading, mapping, idColumn: mapping.idColumn ?? reading.idColumn }
}

/** Lines in adoptable's own format are UTF-8 and have dates in one format only. */
const isOwnLines = ({ format, mapping }: ReadOptions): boolean => format === 'ndjson' && !mapping.animalsIn

/** @throws {RefusalError} if the encoding is not clear, or the file is no text */
async function readEncoding(file: ImportFile, options: ReadOptions, notes: Note[]) {
  if (options.encoding) return { encoding: options.encoding }
  // Refuses files that are no text.
  await peek(file.bytes())
  const { encoding, example, mayBeDamaged } = await findEncoding(() => file.bytes(), isOwnLines(options))
  if (encoding !== 'utf-8') notes.push({ code: 'encoding', value: encoding, example })
  return { encoding, mayBeDamaged }
}

interface SurveyedAnimal {
  line: number
  fields: Fields
  id: string | undefined
}

/** Yields the animals up to a line that cannot be read. The import reports that line. */
async function* animalsOf(
  file: ImportFile,
  reading: ReadOptions,
  notes: Note[] = [],
): AsyncGenerator<SurveyedAnimal> {
  const { idColumn, update, mapping } = reading
  try {
    for await (const line of animalLines(file.bytes(), reading)) {
      await yieldToEventLoop()
      if (line.isNoAnimal) addNote(notes, 'no_animal', line.number)
      const fields = line.isNoAnimal ? undefined : ifAccepted(() => getFields(line))
      if (!fields || mapping.isAnimal?.(fields) === false) continue
      const sourceId =
        idColumn === undefined && !update ? undefined : ifAccepted(() => getSourceId(fields, reading))
      const id = sourceId === undefined ? undefined : repeatKeyOf(fields, sourceId)
      yield { line: line.number, fields, id }
    }
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
  }
}

/** @returns undefined if the value is refused */
function ifAccepted<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    return undefined
  }
}

interface DateCounts {
  day: number
  month: number
  /** The first date that has two meanings. */
  either?: { line: number; text: string } | undefined
}

/** Finds out whether the day or the month comes first in the dates of each column. */
class DateColumns {
  readonly #columns: Map<string, DateCounts>

  constructor({ mapping, locale }: ReadOptions) {
    const columns = locale?.dayFirst === undefined ? (mapping.dateColumns ?? []) : []
    this.#columns = new Map(columns.map((name) => [name, { day: 0, month: 0 }]))
  }

  add(line: number, fields: Fields): void {
    for (const [name, shown] of this.#columns) {
      const value = fields[name]
      const text = typeof value === 'string' ? value.trim() : ''
      const order = text === '' ? undefined : orderShownBy(text)
      if (order === 'either') shown.either ??= { line, text }
      else if (order) shown[order] += 1
    }
  }

  /** @throws {RefusalError} if a column has only dates with two meanings */
  decide(notes: Note[]): Map<string, DateOrder> {
    const orders = new Map<string, DateOrder>()
    const open = new Map<string, DateCounts>()
    for (const [name, shown] of this.#columns) {
      const { day, month, either } = shown
      if (day > 0 !== month > 0) orders.set(name, day > 0 ? 'day' : 'month')
      else if (either) open.set(name, shown)
    }
    const found = new Set(orders.values())
    for (const [name, { day, either }] of open) {
      const [order] = found
      // Dates with two meanings are read like those of the other columns, unless these differ.
      if (day > 0 || found.size !== 1 || !order) throw unclearDates(name, either)
      orders.set(name, order)
    }
    for (const order of ['day', 'month'] as const) {
      const names = [...orders].filter(([, one]) => one === order).map(([name]) => name)
      if (names.length > 0) notes.push({ code: `${order}_first`, columns: names })
    }
    return orders
  }
}

function unclearDates(column: string, either: DateCounts['either']): RefusalError {
  const { line, text } = either ?? { line: 0, text: '' }
  const [day, month] = (['day', 'month'] as const).map((order) => parseDate(text, order))
  const message = `nothing was imported: ${column} "${shorten(text)}" on line ${line} is ${day} with --day-first or ${month} with --month-first: choose one of them`
  return new RefusalError({ code: 'unclear_dates', value: shorten(text), message })
}

/** Finds the lines of ids that occur more than once. */
async function findRepeated(
  file: ImportFile,
  reading: ReadOptions,
  { again }: IdSet,
): Promise<Map<string, RepeatedId>> {
  const found = new Map<string, RepeatedId & { intake: string; name: string }>()
  for await (const { line, fields, id } of animalsOf(file, reading)) {
    if (id === undefined || !again.has(hashOf(id))) continue
    const intake = intakeOf(fields, reading)
    const before = found.get(id)
    if (!before)
      found.set(id, { lines: [line], count: 1, newest: line, isShared: false, intake, name: nameOf(fields) })
    else {
      before.count += 1
      if (before.name !== nameOf(fields)) before.isShared = true
      if (before.lines.length < MAX_NOTED_LINES) before.lines.push(line)
      if (intake >= before.intake) Object.assign(before, { newest: line, intake })
    }
  }
  // Two different ids may have the same hash.
  return new Map([...found].filter(([, { lines }]) => lines.length > 1))
}

function nameOf(fields: Fields): string {
  const name = findName(fields)
  return typeof name === 'string' ? fold(name).trim() : ''
}

function describeRepeated(repeated: RepeatedId[]): Note {
  const older: number[] = []
  let count = 0
  for (const { lines, newest, count: all } of repeated) {
    count += all - 1
    if (older.length < MAX_NOTED_LINES) older.push(...lines.filter((line) => line !== newest))
  }
  return {
    code: 'repeated_id',
    count,
    lines: older.slice(0, MAX_NOTED_LINES).sort((one, other) => one - other),
  }
}

/** The date of intake; empty without one, so any date is later. */
function intakeOf(fields: Fields, { mapping, locale = US_LOCALE }: ReadOptions): string {
  for (const name of mapping.intakeColumns ?? []) {
    const value = fields[name]
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
    const day = text === '' ? undefined : parseDate(text, orderFor(locale, name), locale.now)
    if (day) return day
  }
  return ''
}
