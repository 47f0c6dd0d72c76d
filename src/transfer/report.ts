import { type ErrorCode, type ErrorDetail, isRefusal } from '../errors.ts'
import { isOnlyDayFirst } from './dates.ts'
import type { StatusCount } from './statuses.ts'

// The report of an import contains totals, and the reason why a line or the file was refused.

export interface Refusal {
  line: number
  /** The id in the source. */
  id?: string
  /** For the person who uploaded the file. The command does not print it. */
  name?: string
  reason: string
  /** The reasons with codes, for the console, which has its own texts. */
  why?: RefusalReason[]
}

/** One reason: the message of the command, and the code and value that the console words itself. */
export interface RefusalReason {
  /** Absent if the console has no text of its own and shows `message`. */
  code?: ErrorCode | ErrorDetail['code'] | RefusalCode
  /** The member with the problem (RFC 6901). */
  pointer?: string
  /** The value in the file, or an id. May be personal data, so the command does not print it. */
  value?: string
  message: string
}

/** Codes for reasons that are not errors of the API. */
export type RefusalCode =
  | 'unknown_kind'
  | 'no_kind'
  | 'unknown_organization_code'
  | 'known_before'
  | 'moved_away'
  | 'other_animal'
  | 'repeated_id'
  | 'not_for_adoption'
  | 'bond_lacking'
  | 'bond_unclear'
  | 'bond_unnamed'
  | 'bond_lost'
  | 'bond_held'
  | 'no_source_id'
  | 'not_utf8'
  | 'other_cells'
  | 'line_too_long'
  | 'too_many_values'
  | 'not_csv'
  | 'own_ids'
  | 'other_program'
  | 'other_format'
  | 'missing_column'
  | 'column_case'
  | 'column_twice'
  | 'not_json'
  | 'no_object'
  | 'open_quote'
  | 'compressed'
  | 'workbook'
  | 'mixed_encoding'
  | 'shortened_id'
  | 'unclear_encoding'
  | 'unclear_dates'
  | 'unknown_status'
  | 'has_died'
  | 'never_sheltered'
  | 'has_left'

/** A line or file is refused. The message is for the person who has to fix it. */
export class RefusalError extends Error {
  readonly why: RefusalReason[]

  constructor(reason: string | RefusalReason | RefusalReason[]) {
    const why = typeof reason === 'string' ? [{ message: reason }] : [reason].flat()
    const { stackTraceLimit } = Error
    // A file may have a million refused lines, and stack traces are slow and unused.
    Error.stackTraceLimit = 0
    super(joinMessages(why))
    Error.stackTraceLimit = stackTraceLimit
    this.why = why
  }
}

/** The reason for refusing one animal. @throws the error itself if it is not about one animal */
export function toRefusal(error: unknown): Required<Pick<Refusal, 'reason' | 'why'>> {
  if (error instanceof RefusalError) return { reason: error.message, why: error.why }
  if (!isRefusal(error)) throw error
  const { code, message, details } = error
  const why = details ?? [{ code, message }]
  return { reason: joinMessages(why), why }
}

interface RefusedAnimal {
  line: number
  id?: string | undefined
  /** May have any type, because it is not validated. */
  name?: unknown
}

/** The refusal of one animal. @throws the error itself if it is not about one animal */
export function refusalOf({ line, id, name }: RefusedAnimal, error: unknown): Refusal {
  const named = typeof name === 'string' && name.trim() !== '' && { name: shorten(name) }
  return { line, ...(id !== undefined && { id }), ...named, ...toRefusal(error) }
}

/** Joins the messages. Each message follows the name of its member. */
function joinMessages(why: RefusalReason[]): string {
  const sentences = why.map(({ pointer, message }) =>
    pointer === undefined ? message : `${pointer.slice(1)}: ${message}`,
  )
  return sentences.join(' ')
}

/** The reason for a line or an item that is too long. */
export function tooLong(bytes: number): RefusalReason {
  return { code: 'line_too_long', value: String(bytes), message: `It is longer than ${bytes} bytes.` }
}

/** The reason for a line, a document or a cell with too many parts. @param what such as 'cells' */
export function tooMany(max: number, what: string): RefusalReason {
  return { code: 'too_many_values', value: String(max), message: `It has more than ${max} ${what}.` }
}

/** Maximum number of items in a list. Far more items than any list of an animal has. */
const MAX_PARTS = 10_000

/** Splits the cell of a table into texts. @throws {RefusalError} if there are too many */
export function splitCell(cell: string, separator: string | RegExp): string[] {
  const parts = cell.split(separator, MAX_PARTS + 1)
  if (parts.length > MAX_PARTS) throw new RefusalError(tooMany(MAX_PARTS, 'items in a cell'))
  return parts
}

const MAX_QUOTED = 100

/** Shortens a value for `RefusalReason`: complete texts could take as much memory as the file. */
export function shorten(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}…` : text
}

export interface Summary {
  added: number
  updated: number
  unchanged: number
  refused: number
  /** Animals that are no longer published, because the file says that they are held or have left. */
  takenOff?: number
  /** Animals that are not published, because an animal of their bond is missing. */
  lostBonds?: number
  /** How often the file removed a published value, by the path of the member. */
  withdrawn?: Record<string, number>
  /** How often a column or member was not imported, by its name in the file. */
  leftOut: Record<string, number>
  /** The statuses in the file, in the order of their first occurrence. */
  statuses?: StatusCount[]
  /** Examples of values that could not be read. `leftOut` has the number of all such values. */
  notUnderstood?: UnreadValue[]
  /** How the file was read where this was not certain. */
  notes?: Note[]
  /** The number of animals whose status changed because the file no longer has them. */
  removed?: number
  photos?: PhotoCounts
}

/** A fact about the file that a person should know, although no line is refused for it. */
export interface Note {
  code:
    | 'encoding'
    | 'guessed_columns'
    | 'day_first'
    | 'month_first'
    | 'no_animal'
    | 'mojibake'
    | 'repaired_postcode'
    | 'repeated_id'
    | 'same_chip'
  /** The encoding. */
  value?: string
  /** A text of the file, as it was read. */
  example?: string | undefined
  columns?: string[]
  count?: number
  /** The first lines. */
  lines?: number[]
  /** The first lines whose microchip an animal of the store or an earlier line has. */
  sameChips?: SameChip[]
}

export interface SameChip {
  line: number
  /** The id of the other animal. */
  animal?: number
  otherLine?: number
}

const MAX_SAME_CHIPS = 100

/** Adds lines whose microchip is used twice to the notes. */
export function addSameChips(summary: Summary, found: readonly SameChip[]): void {
  if (found.length === 0) return
  summary.notes ??= []
  let note = summary.notes.find(({ code }) => code === 'same_chip')
  if (!note) {
    note = { code: 'same_chip', count: 0, sameChips: [] }
    summary.notes.push(note)
  }
  note.count = (note.count ?? 0) + found.length
  const room = MAX_SAME_CHIPS - (note.sameChips?.length ?? 0)
  note.sameChips?.push(...found.slice(0, Math.max(room, 0)))
}

/** A note has up to this many lines. */
export const MAX_NOTED_LINES = 20

/** Adds a line to the note with this code. @param example a value of the first line */
export function addNote(notes: Note[], code: Note['code'], line: number, example?: string): void {
  const before = notes.find((note) => note.code === code)
  const { count = 0, lines = [] } = before ?? {}
  if (!before) notes.push({ code, count: 1, lines: [line], ...(example && { example: shorten(example) }) })
  else Object.assign(before, { count: count + 1, lines: [...lines, line].slice(0, MAX_NOTED_LINES) })
}

export const EMPTY_SUMMARY: Summary = { added: 0, updated: 0, unchanged: 0, refused: 0, leftOut: {} }

export interface PhotoCounts {
  added: number
  /** Photos that were downloaded before, or whose picture the animal already has. */
  there: number
  failed: number
  /** Photos beyond the maximum for an animal. */
  noRoom: number
}

export interface UnreadValue {
  line: number
  column: string
  value: string
}

export function countLines({ added, updated, unchanged, refused }: Summary): number {
  return added + updated + unchanged + refused
}

/** Reading the file or writing the store failed. Animals imported before remain. */
export class IncompleteImportError extends Error {
  readonly done: Summary

  constructor(done: Summary, cause: Error) {
    super(cause.message, { cause })
    this.done = done
  }
}

/** Reports up to this many values with their lines, because a file may have millions. */
const MAX_NOT_UNDERSTOOD = 1_000
const MAX_VALUE = 60

export function addNotUnderstood(summary: Summary, line: number, values: Record<string, string> = {}): void {
  for (const [column, value] of Object.entries(values)) {
    summary.notUnderstood ??= []
    if (summary.notUnderstood.length < MAX_NOT_UNDERSTOOD)
      summary.notUnderstood.push({ line, column, value: value.slice(0, MAX_VALUE) })
  }
}

/** Counts in a Map, because a column may be named like a property of Object.prototype. */
export function addLeftOut(summary: Summary, names: string[]): void {
  const counts = new Map(Object.entries(summary.leftOut))
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  summary.leftOut = Object.fromEntries(counts)
}

// Each key of `leftOut` is the name of a column or member, followed by the reason in parentheses.

export const DAY_FIRST = ' (not understood without --day-first)'

export function labelUnread([column, text]: [string, string]): string {
  return column + (isOnlyDayFirst(text) ? DAY_FIRST : ' (not understood)')
}

/** The name in `leftOut` for entries that are not animals of the shelter. */
export const VISITORS = 'entries without an animal'

/** Follows the name of an age that is not used. */
export const BIRTH_COUNTS = ' (the date of birth counts)'

/** The name for a shelter's number that another animal of the organization has. */
export const TAKEN_NUMBER = 'externalId (another animal has it)'

/** The name for the status of an animal that staff hold, or whose outcome they have recorded. */
export const KEPT_BACK = 'status (the animal is on hold or has an outcome)'

/** The key of a member with an invalid value. */
export function labelInvalid(member: string): string {
  return `${member} (not valid)`
}

/** Matches the reason in such a key. */
export const LABEL_REASON = / \(not [^()]*\)$/

/** Members of an API response that say that there are more pages. */
export const NEXT_PAGE_MEMBERS = ['has_more', 'meta.pages']
