import type { ApiError, ErrorCode, ErrorDetail } from '../errors.ts'
import type { Member } from '../pets/fields.ts'

/** A line as it was read: a value, or why there is none. */
export interface Line {
  /** From 1; in a JSON document the position of the animal. */
  number: number
  value?: unknown
  problem?: Why
}

/** The members of one animal in its source: of CSV, the cells that are not empty. */
export type Fields = Record<string, unknown>

/** What a source says of an animal, not checked yet: nothing here has the right type for certain. */
export interface Animal extends Partial<Record<Member, unknown>> {
  /** One of the three: an id or a name of ours, or the source's own word for the kind of animal. */
  categoryId?: unknown
  /** The code of its organization, in place of the id. */
  organization?: unknown
  category?: unknown
  kind?: string
  /** The source says that it is not for adoption: here it has no status. */
  unlisted?: boolean
  /** What the source says of it, and that has no place here: names of columns. Of other programs only. */
  leftOut?: string[]
  /** What has a place, and could not be read: columns, and what they hold. Of other programs only. */
  notUnderstood?: Record<string, string>
  /** Names of our own form that nothing has here, such as one with a letter too many. */
  unknown?: string[]
  /** What a former file said, and this one says is no longer so: members, such as goodWith.cats. */
  takenBack?: string[]
}

export const FORMATS = ['ndjson', 'csv', 'json'] as const
export type Format = (typeof FORMATS)[number]

/** How to read the files of one program. */
export interface Mapping {
  formats: readonly [Format, ...Format[]]
  /** A CSV file without them is not of this program. */
  columns: readonly string[]
  /** More that it may have, and that would be passed over in another case. */
  otherColumns?: readonly string[]
  /** Of a CSV file, what its columns are called in place of its own headings; empty for what is not read. */
  names?: readonly string[]
  /** The member that tells animals apart there. */
  idColumn?: string
  /** The same, where it goes by several names. */
  idOf?(fields: Fields): unknown
  /** Members that hold addresses of photos. */
  photoMembers?: readonly string[]
  /** The animals in a value that was read; without it, the value is one. @throws {Refused} */
  animalsIn?(value: unknown): unknown[]
  /**
   * @returns undefined when the line is about something else than an animal
   * @throws {Refused}
   */
  toAnimal(fields: Fields, format: Format, habits: Habits): Animal | undefined
}

/** What a file does not say, and depends on where the shelter is. */
export interface Habits {
  /** Of fees: its code in ISO 4217. */
  currency: string
  /** Whether 03/04/2020 is in April; else in March. */
  dayFirst: boolean
  /** Whether weights without a unit are in pounds; else in kilograms. */
  pounds: boolean
}

export const AMERICAN: Habits = { currency: 'USD', dayFirst: false, pounds: false }

/** One thing that is wrong: as the command says it, and what somebody needs who says it in other words. */
export interface Why {
  /** Absent where only the message says what it is. */
  code?: ErrorCode | ErrorDetail['code'] | RefusalCode
  /** The member that it is about (RFC 6901). */
  pointer?: string
  /** What the file has there, or an id. It may be about people: the command does not repeat it. */
  value?: string
  message: string
}

/** What no error of the service says. */
export type RefusalCode =
  | 'unknown_kind'
  | 'unknown_organization_code'
  | 'known_before'
  | 'moved_away'
  | 'not_for_adoption'
  | 'bond_lacking'
  | 'no_source_id'
  | 'not_utf8'
  | 'other_cells'
  | 'line_too_long'
  | 'not_csv'
  | 'known_file'
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
  | 'utf16'
  | 'no_status'
  | 'unknown_status'
  | 'has_died'
  | 'never_sheltered'
  | 'has_left'

/** A line, or a file, that does not go in; the message says why, to the person who has to mend it. */
export class Refused extends Error {
  readonly why: Why[]

  constructor(reason: string | Why | Why[]) {
    const why = typeof reason === 'string' ? [{ message: reason }] : [reason].flat()
    const { stackTraceLimit } = Error
    // A file may have a million such lines, and nobody reads where they were refused.
    Error.stackTraceLimit = 0
    super(why.map(told).join(' '))
    Error.stackTraceLimit = stackTraceLimit
    this.why = why
  }
}

/** Of a line. */
export function tooLong(bytes: number): Why {
  return { code: 'line_too_long', value: String(bytes), message: `It is longer than ${bytes} bytes.` }
}

const MAX_QUOTED = 100

/** For `Why`: whole texts of a file would take as much memory as the file. */
export function quoted(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).toWellFormed()}…` : text
}

/** One line of a file on its way into the store. */
export interface Draft {
  line: number
  animal: Animal
  /** Its id in the source, where that tells its animals apart. */
  sourceId: string | undefined
  /** Its id in the file, where nobody said that it tells animals apart. */
  ownId?: string | undefined
  /** Ids of the file: of the animals that are adopted together with it. */
  bondedWith?: string[] | undefined
  photos?: PhotoList
}

/** An imported animal whose file names photos of it. */
export interface Photographed {
  line: number
  /** The id in the source. */
  id?: string | undefined
  petId: number
  photos: PhotoList
}

/** Where the photos of an animal are, in their order. */
export interface PhotoList {
  sources: { address: string; alt?: string }[]
  /** How many more the file names than an animal can have. */
  surplus: number
}

export interface Refusal {
  line: number
  /** The id in the source. */
  id?: string
  reason: string
  /** The same, for other words. */
  why?: Why[]
}

/** What an error of the service says, with the members it is about. */
export function reasonOf({ message, details }: ApiError): string {
  return details ? details.map(told).join(' ') : message
}

export function told({ pointer, message }: { pointer?: string; message: string }): string {
  return pointer === undefined ? message : `${pointer.slice(1)}: ${message}`
}
