import { int64 } from '../http/int64.ts'
import { MAX_BONDED } from '../pets/profile-schemas.ts'
import { takeTurns } from '../search/turns.ts'
import {
  AMERICAN,
  type Animal,
  type Draft,
  type Fields,
  type Format,
  type Habits,
  type Line,
  type Mapping,
  type Refusal,
  Refused,
} from './animal.ts'
import { inTurns } from './in-turns.ts'
import { peek } from './peek.ts'
import { photosIn } from './photo-sources.ts'
import { readCsv } from './read-csv.ts'
import { readJson, readNdjson } from './read-lines.ts'

export interface Reading {
  format: Format
  mapping: Mapping
  /** The member with the id in the source; without one, animals are not told apart. */
  idColumn: string | undefined
  /** As in America where nobody says so. */
  habits?: Habits
  /** Whether an animal without such an id is refused. */
  update: boolean
  /** Whether the addresses of photos are read. */
  withPhotos?: boolean
}

export interface Batch {
  drafts: Draft[]
  refused: Refusal[]
}

/**
 * So many lines are one transaction: a sync each, and no service beside it waits long for its turn. An import
 * that is killed leaves whole batches.
 */
const BATCH = 2_000

/** @throws when the file cannot be read, after the lines before that */
export async function* batchesOf(input: AsyncIterable<Buffer>, reading: Reading): AsyncGenerator<Batch> {
  let [drafts, refused]: [Draft[], Refusal[]] = [[], []]
  let broken: { error: unknown } | undefined
  try {
    for await (const line of linesOf(inTurns(input), reading)) {
      await takeTurns()
      const { draft, refusal } = draftOf(line, reading)
      if (draft) drafts.push(draft)
      if (refusal) refused.push(refusal)
      if (drafts.length + refused.length < BATCH) continue
      yield { drafts, refused }
      drafts = []
      refused = []
    }
  } catch (error) {
    broken = { error }
  }
  if (drafts.length + refused.length > 0) yield { drafts, refused }
  if (broken) throw broken.error
}

/** Neither for a line that is about something else than an animal. */
function draftOf(line: Line, reading: Reading): { draft?: Draft; refusal?: Refusal } {
  let id: string | undefined
  try {
    const fields = fieldsOf(line)
    id = sourceIdOf(fields, reading)
    const animal = reading.mapping.toAnimal(fields, reading.format, reading.habits ?? AMERICAN)
    const ownId = typeof fields.id === 'object' || fields.id === undefined ? undefined : String(fields.id)
    if (!animal) return {}
    const { bondedWith, ...rest } = animal
    const bond = bondOf(bondedWith)
    const photos = reading.withPhotos ? takePhotos(fields, rest, reading) : undefined
    return { draft: { line: line.number, animal: rest, sourceId: id, ownId, ...bond, ...photos } }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { message: reason, why } = error
    return { refusal: { line: line.number, ...(id !== undefined && { id }), reason, why } }
  }
}

/** What names them is then no longer left out. */
function takePhotos(fields: Fields, animal: Animal, { format, mapping }: Reading): Pick<Draft, 'photos'> {
  const { photoMembers = [] } = mapping
  if (animal.leftOut) animal.leftOut = animal.leftOut.filter((name) => !photoMembers.includes(name))
  const photos = photosIn(fields, photoMembers, format)
  return photos ? { photos } : {}
}

/** Ids of the file, where the service has its own: so the schema does not judge them. @throws {Refused} */
function bondOf(ids: unknown): { bondedWith?: string[] } {
  if (ids === undefined) return {}
  const isId = (id: unknown): boolean => ['string', 'number', 'bigint'].includes(typeof id)
  if (Array.isArray(ids) && ids.length > 0 && ids.length <= MAX_BONDED && ids.every(isId))
    return { bondedWith: ids.map(String) }
  const message = `This must be a list of 1 to ${MAX_BONDED} ids of animals of the file.`
  throw new Refused({ code: 'invalid_value', pointer: '/bondedWith', message })
}

async function* linesOf(file: AsyncIterable<Buffer>, reading: Reading): AsyncGenerator<Line> {
  const { firstLine, input } = await peek(file)
  refuseOtherFormat(firstLine, reading)
  for await (const line of readerOf(reading)(input, firstLine)) yield* animalsIn(line, reading)
}

type Reader = (input: AsyncIterable<Buffer>, firstLine: string) => AsyncGenerator<Line>

function readerOf({ format, mapping, idColumn }: Reading): Reader {
  if (format === 'json') return readJson
  if (format === 'ndjson') return readNdjson
  const { columns, otherColumns = [], names } = mapping
  const isKnown = idColumn === undefined || columns.includes(idColumn) || idColumn === mapping.idColumn
  const required = isKnown ? columns : [...columns, idColumn]
  return (input, firstLine) => readCsv(input, firstLine, { required, others: otherColumns, names })
}

/** A file that is taken for the other of the two would be refused line by line, without a word about why. */
function refuseOtherFormat(firstLine: string, { format, mapping }: Reading): void {
  const line = firstLine.trim()
  const found = line.startsWith('{') ? 'ndjson' : /^[^{[]*[,;\t]/.test(line) ? 'csv' : format
  if (found === format || format === 'json' || !mapping.formats.includes(found)) return
  const message = `the file begins like ${found.toUpperCase()}, and is read as ${format}: say --format ${found}`
  throw new Refused({ code: 'other_format', value: found, message })
}

function* animalsIn(line: Line, { format, mapping }: Reading): Generator<Line> {
  if (!mapping.animalsIn || line.problem !== undefined) return yield line
  try {
    for (const [index, value] of mapping.animalsIn(line.value).entries())
      yield { number: format === 'json' ? index + 1 : line.number, value }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    yield { number: line.number, problem: { message: error.message } }
  }
}

/** @throws {Refused} */
function fieldsOf({ value, problem }: Line): Fields {
  if (problem !== undefined) throw new Refused(problem)
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new Refused({ code: 'no_object', message: 'It must be a JSON object.' })
  return value as Fields
}

/** Long enough for any id that programs give out, and the same in both engines. */
const SOURCE_ID = /^[^\p{Cc}\p{Cs}]{1,200}$/u

/** @throws {Refused} when there is none, and an animal could not be told apart from others */
function sourceIdOf(fields: Fields, { idColumn, update, mapping }: Reading): string | undefined {
  const given = mapping.idOf && idColumn === mapping.idColumn ? mapping.idOf(fields) : undefined
  const id = idColumn === undefined ? undefined : (given ?? fields[idColumn])
  if (idColumn === undefined && !update) return undefined
  if (typeof id === 'number' || typeof id === 'bigint') {
    // What has more digits was not read exactly, and two of them may be one.
    if (int64(String(id)) === undefined) throw new Refused(`${idColumn}: Write such a number in quotes.`)
    return String(id)
  }
  const text = typeof id === 'string' ? id : ''
  if (!SOURCE_ID.test(text))
    throw new Refused({
      code: 'no_source_id',
      message: `${idColumn}: This must be the id of the animal, of 1 to 200 characters.`,
    })
  return text
}
