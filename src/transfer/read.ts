import { parseInt64 } from '../http/int64.ts'
import { yieldToEventLoop } from '../http/turns.ts'
import { MAX_BONDED_PETS } from '../pets/fields.ts'
import type { Animal, Fields, Format, Line, Locale, Mapping } from './animal.ts'
import { findTable, inPieces, readCsv } from './csv.ts'
import { isShortened } from './damaged.ts'
import { type Encoding, findEncoding, toUtf8 } from './encoding.ts'
import { readJson, readNdjson } from './json.ts'
import { findProgram } from './mappings/all.ts'
import { type PhotoList, readPhotoList } from './photos.ts'
import { readAnimal } from './read-animal.ts'
import { type Refusal, type RefusalCode, RefusalError, refusalOf, shorten, tooMany } from './report.ts'
import type { RowKeys } from './row-keys.ts'
import { isObject, textOf } from './source-row.ts'
import { createStatusReader, type StatusReader } from './statuses.ts'
import type { TableShape } from './table.ts'
import { isNothing } from './word-lists.ts'

// Reads a file into batches of animals.

/** A file that can be read several times. */
export interface ImportFile {
  bytes(): AsyncIterable<Buffer>
}

export interface ReadOptions {
  format: Format
  mapping: Mapping
  /** The member with the id in the source; without it, animals cannot be recognized later. */
  idColumn: string | undefined
  /** Default: US. */
  locale?: Locale
  /** Whether to guess columns by headings that are not part of the format. */
  guessesColumns?: boolean
  /** Whether texts may have been damaged before. */
  mayBeDamaged?: boolean | undefined
  /** Default: UTF-8. */
  encoding?: Encoding | undefined
  /** Whether to refuse an animal without an id. */
  update: boolean
  /** Reads and counts the statuses. Default: one without choices. */
  statuses?: StatusReader
  /** Whether to read addresses of photos. */
  withPhotos?: boolean
  /** Lines per transaction. Default: 2,000. */
  batchSize?: number
  /** The ids that several lines have. Only one of the lines with the same name counts. */
  repeated?: ReadonlyMap<string, RepeatedId>
  /** The ids that animals of several organizations have. */
  perOrganization?: ReadonlySet<string>
  /** Finds lines without an id again in a later import, by their content. */
  rowKeys?: RowKeys | undefined
}

/** Several lines, such as two stays of one animal. */
export interface Stays {
  lines: number[]
  count: number
  /**
   * The line with the latest date of intake. Without such dates, the last line that keeps the animal off the
   * public pages; if there is no such line, the last line.
   */
  newest: number
}

export interface RepeatedId extends Stays {
  /** The lines of each name. If there is more than one, the id is shared by different animals. */
  byName: ReadonlyMap<string, Stays>
}

/** One animal of a file before validation. */
export interface Draft {
  line: number
  animal: Animal
  /** The id of the animal in the source, from `idColumn`. */
  sourceId: string | undefined
  /** Set if lines with other names have the same id: the newest line with the id. */
  sharedWith?: number | undefined
  /** Whether animals of several organizations have the same id in the file. */
  isPerOrganization?: boolean
  /** The member `id` of the animal, even if `idColumn` is another member. */
  ownId?: string | undefined
  /** The key of the line, instead of an id. */
  rowKey?: string | undefined
  /** Ids, in the file, of animals that must be adopted together with this one. */
  bondedWith?: string[] | undefined
  /** See `Animal`. */
  bondId?: string | undefined
  photos?: PhotoList | undefined
}

export interface Batch {
  drafts: Draft[]
  refused: Refusal[]
  /** The number of entries that are not animals of the shelter. */
  visitors: number
  /** The keys of all lines, including refused lines. */
  rowKeys: string[]
}

/**
 * Lines per transaction, unless the options say otherwise. Each transaction syncs once and blocks other
 * writers only briefly. After a killed import, the store has complete batches only.
 */
const BATCH_SIZE = 2_000

/** Yields all lines before a failure, then throws. @throws if the file cannot be read */
export async function* readBatches(
  input: AsyncIterable<Buffer>,
  options: ReadOptions,
): AsyncGenerator<Batch> {
  const { batchSize = BATCH_SIZE } = options
  const reading = { statuses: createStatusReader(), ...options }
  const newBatch = (): Batch => ({ drafts: [], refused: [], visitors: 0, rowKeys: [] })
  let batch = newBatch()
  const size = () => batch.drafts.length + batch.refused.length + batch.visitors
  let failure: { error: unknown } | undefined
  try {
    for await (const line of animalLines(input, reading)) {
      await yieldToEventLoop()
      addLine(batch, line, reading)
      if (size() < batchSize) continue
      yield batch
      batch = newBatch()
    }
  } catch (error) {
    failure = { error }
  }
  if (size() > 0) yield batch
  if (failure) throw failure.error
}

/** Yields a line for each animal of the file. */
export async function* animalLines(file: AsyncIterable<Buffer>, reading: ReadOptions): AsyncGenerator<Line> {
  const { head, firstLine, input } = await peek(toUtf8(file, reading.encoding ?? 'utf-8'))
  refuseOtherFormat(firstLine, reading)
  for await (const line of readLines(input, head, reading)) yield* animalsIn(line, reading)
}

/** Reads up to this many bytes to find the headings. */
const MAX_PEEKED_BYTES = 2 ** 16

const LINE_END = /\r|\n/

/** The first bytes of a file, its first line without byte order mark, and the complete input in pieces. */
interface Peeked {
  head: Buffer
  firstLine: string
  input: AsyncIterable<Buffer>
}

/** @throws {RefusalError} if the file is compressed or a workbook */
export async function peek(input: AsyncIterable<Buffer>): Promise<Peeked> {
  const rest = input[Symbol.asyncIterator]()
  const chunks: Buffer[] = []
  let head = Buffer.alloc(0)
  while (head.length < MAX_PEEKED_BYTES) {
    const { done, value } = await rest.next()
    if (done) break
    chunks.push(value)
    head = Buffer.concat([head, value.subarray(0, MAX_PEEKED_BYTES)])
  }
  refuseOtherFiles(head)
  const [firstLine = ''] = head.toString().split(LINE_END, 1)
  async function* all(): AsyncGenerator<Buffer> {
    yield* chunks
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { head, firstLine: firstLine.replace(/^\uFEFF/, ''), input: inPieces(all()) }
}

/** Files of other kinds, by their first bytes; XML and HTML by `MARKUP`. */
const OTHER_FILES: [bytes: number[] | undefined, code: RefusalCode, what: string][] = [
  [[0x1f, 0x8b], 'compressed', 'is compressed with gzip: unpack it first'],
  [
    [0x50, 0x4b, 3, 4],
    'workbook',
    'is a ZIP archive or a workbook: unpack it, or save the sheet as CSV in UTF-8',
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], 'workbook', 'is an old workbook: save the sheet as CSV in UTF-8'],
  [undefined, 'workbook', 'is a web page or XML: save or export it as CSV'],
]

/** The beginning of XML or HTML in any encoding, after a byte order mark and blanks. */
const MARKUP = /^[\s\0\xbb\xbf\xef\xfe\xff]*<\0?[!?a-z]/i

function refuseOtherFiles(head: Buffer): void {
  const isMarkup = MARKUP.test(head.toString('latin1', 0, 1_000))
  const other = OTHER_FILES.find(([bytes]) =>
    bytes ? bytes.every((byte, index) => head[index] === byte) : isMarkup,
  )
  if (!other) return
  const [, code, what] = other
  throw new RefusalError({ code, message: `the file ${what}` })
}

/** Refuses CSV read as NDJSON and the reverse, as each line would be refused for a misleading reason. */
function refuseOtherFormat(firstLine: string, { format, mapping }: ReadOptions): void {
  const line = firstLine.trim()
  const found = line.startsWith('{') ? 'ndjson' : /^[^{[]*[,;\t]/.test(line) ? 'csv' : format
  if (found === format || format === 'json' || !mapping.formats.includes(found)) return
  const message = `the file looks like ${found.toUpperCase()}, but is read as ${format}: use --format ${found}`
  throw new RefusalError({ code: 'other_format', value: found, message })
}

async function* readLines(
  input: AsyncIterable<Buffer>,
  head: Buffer,
  reading: ReadOptions,
): AsyncGenerator<Line> {
  const { format, mapping, idColumn } = reading
  if (format === 'json') return yield* readJson(input)
  if (format === 'ndjson') return yield* readNdjson(input)
  const { columns, otherForm = columns, otherColumns: others = [], names } = mapping
  const shape = await findTable(head)
  const isOther = otherForm.every((column) => shape.headings?.cells.includes(column))
  const form = isOther ? otherForm : columns
  const isKnown = idColumn === undefined || form.includes(idColumn) || idColumn === mapping.idColumn
  yield* readCsv(input, shape, { required: isKnown ? form : [...form, idColumn], others, names })
}

function* animalsIn(line: Line, { format, mapping }: ReadOptions): Generator<Line> {
  if (!mapping.animalsIn || line.problem !== undefined || line.isNoAnimal) return yield line
  try {
    const animals = mapping.animalsIn(line.value)
    const columns = line.columns ?? findSources(animals, mapping)
    for (const [index, value] of animals.entries())
      yield { number: format === 'json' ? index + 1 : line.number, value, columns }
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    yield { number: line.number, problem: { message: error.message } }
  }
}

/** Columns whose empty cells remove values. Programs may leave out empty members of an animal. */
function findSources(animals: unknown[], { sources = {} }: Mapping): Set<string> {
  const all = Object.values(sources).flat()
  return new Set(all.filter((name) => animals.some((animal) => isObject(animal) && name in animal)))
}

/** Adds an animal or a refusal to the batch. Skips a line that does not describe an animal. */
function addLine(batch: Batch, line: Line, reading: ReadOptions & { statuses: StatusReader }): void {
  if (line.isNoAnimal) return
  const { drafts, refused } = batch
  let sourceId: string | undefined
  try {
    const fields = reading.mayBeDamaged ? withoutControls(getFields(line)) : getFields(line)
    if (reading.mapping.isVisitor?.(fields)) {
      batch.visitors += 1
      return
    }
    sourceId = getSourceId(fields, reading)
    const { withPhotos, repeated, perOrganization, rowKeys } = reading
    const repeatId = sourceId ?? findNumber(fields, reading)
    const lines = repeatId === undefined ? undefined : repeated?.get(repeatKeyOf(fields, repeatId))
    const stays = [...(lines?.byName.values() ?? [])]
    if (lines && !stays.some(({ newest }) => newest === line.number)) return
    const rowKey = rowKeys?.keyOf(line)
    if (rowKey !== undefined) batch.rowKeys.push(rowKey)
    const read = readAnimal(line, fields, reading)
    if (!read) return
    const { bondedWith, bondId, ...animal } = read
    const photos = withPhotos ? takePhotos(fields, animal, reading) : undefined
    const ownId = textOf(fields.id) || undefined
    const bond = { bondId, bondedWith: parseBond(bondedWith) }
    const sharing = {
      ...(sourceId !== undefined && stays.length > 1 && { sharedWith: lines?.newest }),
      isPerOrganization: sourceId !== undefined && perOrganization?.has(sourceId) === true,
    }
    drafts.push({ line: line.number, animal, sourceId, ...sharing, ownId, rowKey, ...bond, photos })
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    refused.push(refusalOf({ line: line.number, id: sourceId, name: findName(line.value) }, error))
  }
}

const NAME = /^(?:animal|pet)?_?name$/i

/** The name in a line that is not read completely. */
export function findName(value: unknown): unknown {
  return isObject(value) ? Object.entries(value).find(([member]) => NAME.test(member))?.[1] : undefined
}

/** Maximum number of members. Far more members than any program exports for an animal. */
const MAX_MEMBERS = 1_000

/** @throws {RefusalError} */
export function getFields({ value, problem }: Line): Fields {
  if (problem !== undefined) throw new RefusalError(problem)
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new RefusalError({ code: 'no_object', message: 'It must be a JSON object.' })
  if (Object.keys(value).length > MAX_MEMBERS) throw new RefusalError(tooMany(MAX_MEMBERS, 'members'))
  return value as Fields
}

/** Removes control characters that damaged texts contain, because no text of an animal may have them. */
function withoutControls(fields: Fields): Fields {
  const texts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replaceAll(/[\u0080-\u009f]/g, '') : value,
  ])
  return Object.fromEntries(texts)
}

/**
 * The number of an animal in a table without ids, where two lines with one number and name are two stays.
 * People write it in several ways: A-001, "a1".
 */
export function findNumber({ externalId }: Fields, { format, idColumn }: ReadOptions): string | undefined {
  const number = format === 'csv' && idColumn === undefined ? textOf(externalId).trim() : ''
  if (isNothing(number) || isShortened(number)) return undefined
  const plain = number.toLowerCase().replaceAll(/(?<!\d)[\s.#_-]+|[\s.#_-]+(?!\d)/g, '')
  return plain.replaceAll(/(?<!\d)0+(?=\d)/g, '')
}

/** Ids of all programs fit. Both engines store these characters unchanged. */
const SOURCE_ID = /^[^\p{Cc}\p{Cs}]{1,200}$/u

/** @throws {RefusalError} if the id is missing or invalid */
export function getSourceId(fields: Fields, { idColumn, update, mapping }: ReadOptions): string | undefined {
  if (idColumn === undefined && !update) return undefined
  const found = mapping.idOf && idColumn === mapping.idColumn ? mapping.idOf(fields) : undefined
  const id = idColumn === undefined ? undefined : (found ?? fields[idColumn])
  if (typeof id === 'number' || typeof id === 'bigint') {
    // A longer number loses digits when parsed, so two different ids could become equal.
    if (parseInt64(String(id)) === undefined)
      throw new RefusalError(`${idColumn}: Put such a large number in quotes.`)
    return String(id)
  }
  const text = typeof id === 'string' ? id : ''
  if (text.trim() === '' && mapping.isIdOptional) return undefined
  if (isShortened(text)) {
    const message = `${idColumn}: A spreadsheet program has shortened this number.`
    throw new RefusalError({ code: 'shortened_id', value: shorten(text), message })
  }
  if (!SOURCE_ID.test(text))
    throw new RefusalError({
      code: 'no_source_id',
      message: `${idColumn}: This must be an id of 1 to 200 characters.`,
    })
  return text
}

/** Two organizations may use the same id in one file. */
export const repeatKeyOf = (
  { organization = '', organizationId = organization }: Fields,
  id: string,
): string => `${id}\n${textOf(organizationId).toLowerCase()}`

/** Reads the photos and removes their members from `leftOut`. */
function takePhotos(fields: Fields, animal: Animal, { format, mapping }: ReadOptions): PhotoList | undefined {
  const { photoMembers = [] } = mapping
  if (animal.leftOut) animal.leftOut = animal.leftOut.filter((name) => !photoMembers.includes(name))
  return readPhotoList(fields, photoMembers, format)
}

/** Checks the ids here and not in the schema, because these are ids of the file. @throws {RefusalError} */
function parseBond(ids: unknown): string[] | undefined {
  if (ids === undefined) return undefined
  const isId = (id: unknown): boolean => ['string', 'number', 'bigint'].includes(typeof id)
  if (Array.isArray(ids) && ids.length > 0 && ids.length <= MAX_BONDED_PETS && ids.every(isId))
    return ids.map(String)
  const message = `This must be a list of 1 to ${MAX_BONDED_PETS} ids of animals in the file.`
  throw new RefusalError({ code: 'invalid_value', pointer: '/bondedWith', message })
}

/** A table before its rows are read. */
export interface Table extends Pick<TableShape, 'separator' | 'withoutReason'> {
  headings: string[]
  /** The cells below the headings. */
  example: string[]
  input: AsyncIterable<Buffer>
}

/**
 * Finds the headings of a table.
 * @param chosen the encoding; by default it is detected
 * @returns undefined for a file in another format; the import reports its problems
 */
export async function openTable(file: ImportFile, chosen?: Encoding | undefined): Promise<Table | undefined> {
  const encoding = chosen ?? (await findEncoding(() => file.bytes())).encoding
  const { head, firstLine, input } = await peek(toUtf8(file.bytes(), encoding))
  if (/^\s*[{[]/.test(firstLine)) return undefined
  const { headings, ...shape } = await findTable(head)
  return headings && { ...shape, headings: headings.cells, input }
}

/** Opens a table that a shelter made itself. @returns undefined for any other file */
export async function openOwnTable(file: ImportFile, chosen?: Encoding): Promise<Table | undefined> {
  const table = await openTable(file, chosen)
  return table?.headings.includes('name') || !findProgram(table?.headings ?? []) ? table : undefined
}
