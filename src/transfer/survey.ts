import { yieldToEventLoop } from '../http/turns.ts'
import { hashOf } from '../places/gazetteer.ts'
import { fold } from '../search/words.ts'
import { type Fields, type Line, type Locale, orderFor, US_LOCALE } from './animal.ts'
import { cleanName, hasWeightUnit } from './cells.ts'
import { type DateOrder, orderShownBy, parseDate } from './dates.ts'
import { findEncoding, findMojibake } from './encoding.ts'
import { guessColumns } from './headings.ts'
import { createTableMapping, findOwnColumns } from './mappings/chosen.ts'
import {
  animalLines,
  findName,
  findNumber,
  getFields,
  getSourceId,
  type ImportFile,
  openOwnTable,
  peek,
  type ReadOptions,
  type RepeatedId,
  repeatKeyOf,
  type Stays,
} from './read.ts'
import { readAnimal } from './read-animal.ts'
import { addNote, MAX_NOTED_LINES, type Note, RefusalError, shorten } from './report.ts'
import { IdSet } from './row-keys.ts'
import { createStatusReader } from './statuses.ts'

// Reads a file once before the import, to find out what only the whole file shows. Writes nothing.

export interface Survey {
  reading: ReadOptions
  /** The ids that occur in more than one line of an organization. */
  repeated: ReadonlyMap<string, RepeatedId>
  /** The ids that animals of several organizations have. */
  perOrganization: ReadonlySet<string>
  /** How the file is read where this was not certain. */
  notes: Note[]
}

/** @throws {RefusalError} if a person must first choose how to read the file */
export async function surveyFile(file: ImportFile, options: ReadOptions): Promise<Survey> {
  const notes: Note[] = []
  const { mayBeDamaged, ...found } = await readEncoding(file, options, notes)
  const encoded = { ...options, ...found }
  const reading = await guessTable(file, encoded, notes)
  const dates = new DateColumns(reading)
  const ids = new IdSet()
  if (isOwnLines(reading) && reading.idColumn === undefined)
    return { reading, repeated: new Map(), perOrganization: new Set(), notes }
  for await (const { line, fields, id } of animalsOf(file, reading, notes)) {
    const damaged = mayBeDamaged ? findMojibake(Object.values(fields)) : undefined
    if (damaged !== undefined) addNote(notes, 'mojibake', line.number, damaged)
    if (id !== undefined) ids.add(id)
    dates.add(line.number, fields)
  }
  const locale: Locale = { ...(reading.locale ?? US_LOCALE), dateOrders: dates.decide(notes) }
  const read = { ...reading, locale, mayBeDamaged }
  const { repeated, perOrganization } = await findRepeated(file, read, ids)
  const stays = [...repeated.values()].flatMap(({ byName }) => [...byName.values()])
  const several = stays.filter(({ count }) => count > 1)
  if (several.length > 0) notes.push(describeRepeated(several))
  return { reading: read, repeated, perOrganization, notes }
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
  refuseTwoLists(headings, guessed)
  const id = reading.idColumn === undefined ? -1 : headings.indexOf(reading.idColumn)
  const columns = { columns: new Map(guessed), id: id < 0 ? undefined : id, keepsOthers: true }
  const mapping = createTableMapping(headings, columns)
  const unit = reading.locale?.pounds ? 'pounds' : 'kilograms'
  const names = guessed.map(([index, column]) => {
    const heading = headings[index] ?? ''
    const isUnclear = column === 'weightGrams' && !hasWeightUnit(heading)
    return `${shorten(heading)} as ${column}${isUnclear ? ` (in ${unit} if there is no unit)` : ''}`
  })
  if (names.length > 0) notes.push({ code: 'guessed_columns', columns: names })
  return { ...reading, mapping, idColumn: mapping.idColumn ?? reading.idColumn }
}

/** @throws {RefusalError} if the names have two columns, because the file then has lists side by side */
function refuseTwoLists(
  headings: readonly string[],
  guessed: readonly [index: number, column: string][],
): void {
  const [index] = guessed.find(([, column]) => column === 'name') ?? [headings.indexOf('name')]
  const heading = headings[index]
  if (heading === undefined || headings.indexOf(heading, index + 1) < 0) return
  const message = `nothing was imported: the file has two columns named ${shorten(heading)}: move lists that are side by side below each other`
  throw new RefusalError({ code: 'column_twice', value: shorten(heading), message })
}

/** Lines in adoptable's own format are UTF-8 and have dates in one format only. */
const isOwnLines = ({ format, mapping }: ReadOptions): boolean => format === 'ndjson' && !mapping.animalsIn

/** @throws {RefusalError} if the encoding is not clear, or the file is not text */
async function readEncoding(file: ImportFile, options: ReadOptions, notes: Note[]) {
  if (options.encoding) return { encoding: options.encoding }
  // Refuses files that are not text.
  await peek(file.bytes())
  const { encoding, example, mayBeDamaged } = await findEncoding(() => file.bytes(), isOwnLines(options))
  if (encoding !== 'utf-8') notes.push({ code: 'encoding', value: encoding, example })
  return { encoding, mayBeDamaged }
}

interface SurveyedAnimal {
  line: Line
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
      const id =
        idColumn === undefined && !update
          ? findNumber(fields, reading)
          : ifAccepted(() => getSourceId(fields, reading))
      yield { line, fields, id }
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
      // Dates with two meanings are read like those of other columns, unless these differ from each other.
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

/** A line of an id that occurs more than once. */
interface Stay {
  line: number
  /** The date of intake; empty without one. */
  intake: string
  /** Whether the line keeps the animal off the public pages. */
  isKeptBack: boolean
}

/** The lines that may count: one with and one without a date of intake. */
interface FoundStays extends Stays {
  dated?: Stay
  undated?: Stay
}

/** Finds the lines of ids that occur more than once. */
async function findRepeated(
  file: ImportFile,
  reading: ReadOptions,
  { again }: IdSet,
): Promise<Pick<Survey, 'repeated' | 'perOrganization'>> {
  const found = new Map<string, FoundStays & { byName: Map<string, FoundStays> }>()
  const organizations = new Map<string, Set<string>>()
  const statuses = reading.statuses ?? createStatusReader()
  const newStays = (): FoundStays => ({ lines: [], count: 0, newest: 0 })
  for await (const { line, fields, id } of again.size > 0 ? animalsOf(file, reading) : []) {
    if (id === undefined || !again.has(hashOf(id))) continue
    const animal = ifAccepted(() => readAnimal(line, fields, { ...reading, statuses }))
    const isKeptBack = animal?.gone !== undefined || animal?.unlisted === true
    const stay = { line: line.number, intake: intakeOf(fields, reading), isKeptBack }
    const key = repeatKeyOf(fields, id)
    organizations.set(id, (organizations.get(id) ?? new Set()).add(key))
    const lines = found.get(key) ?? { ...newStays(), byName: new Map() }
    found.set(key, lines)
    const name = nameOf(fields)
    const sameName = lines.byName.get(name) ?? newStays()
    lines.byName.set(name, sameName)
    addStay(sameName, stay)
    // Lines with another name are of another animal, so it does not matter whether they keep it unpublished.
    addStay(lines, { ...stay, isKeptBack: false })
  }
  return {
    // Two different ids may have the same hash.
    repeated: new Map([...found].filter(([, { count }]) => count > 1)),
    perOrganization: new Set([...organizations].filter(([, keys]) => keys.size > 1).map(([id]) => id)),
  }
}

function addStay(stays: FoundStays, stay: Stay): void {
  stays.count += 1
  if (stays.lines.length < MAX_NOTED_LINES) stays.lines.push(stay.line)
  const kind = stay.intake === '' ? 'undated' : 'dated'
  const { intake = '', isKeptBack = false } = stays[kind] ?? {}
  if (stay.intake > intake || (stay.intake === intake && (stay.isKeptBack || !isKeptBack))) stays[kind] = stay
  const { dated, undated } = stays
  // Without a date, a line that keeps the animal unpublished may be the latest one.
  const isUndated = !dated || (undated?.isKeptBack && !dated.isKeptBack)
  stays.newest = (isUndated ? undated : dated)?.line ?? stay.line
}

function nameOf(fields: Fields): string {
  const name = findName(fields)
  return typeof name === 'string' ? fold(cleanName(name)).trim() : ''
}

function describeRepeated(repeated: Stays[]): Note {
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
