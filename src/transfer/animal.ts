import { extname } from 'node:path'
import type { Member } from '../pets/fields.ts'
import type { DateOrder } from './dates.ts'
import type { AgeSpan } from './phrases.ts'
import type { RefusalReason } from './report.ts'
import type { StatusChoices } from './statuses.ts'

/** A line of a file: its value, or why it could not be read. */
export interface Line {
  /** The line number, counted from 1. In a JSON document, the position of the animal. */
  number: number
  value?: unknown
  /** All cells of a CSV line, as in the file. */
  cells?: string[]
  problem?: RefusalReason
  /** A row of a table that is not an animal, such as a total. */
  isNoAnimal?: true
  /** All columns of the file, also columns that are empty in this line. Absent for JSON line by line. */
  columns?: ReadonlySet<string>
}

/** The members of one animal in the file. For CSV, these are the cells that are not empty. */
export type Fields = Record<string, unknown>

/** An animal as the file describes it. Not validated yet: any member may have any type. */
export interface Animal extends Partial<Record<Member, unknown>> {
  /** The file has at most one of these three: a category id, a category name, or the species in its words. */
  categoryId?: unknown
  category?: unknown
  kind?: string
  /** The id by which bonds in the file name this animal, if it is not the id in the source. */
  bondId?: string | undefined
  /** The number of the row in its table. It is the name of an animal that has neither a name nor a number. */
  rowNumber?: unknown
  /** The code of the animal's organization, instead of the id. */
  organization?: unknown
  /** The file's word for its status, not `status` and `unlisted`; empty if missing. See `statuses.ts`. */
  statusWord?: string
  /** Values that may say that the animal is not for adoption, by their headings. See `hold-columns.ts`. */
  others?: Fields
  /** How long the animal has lived at its intake, or else today. A birth date counts more. */
  ageSpan?: AgeSpan | undefined
  /** True if the animal is not for adoption in the source. The import then gives it no status. */
  unlisted?: boolean
  /** Why the animal is not imported or published although its line is valid: it has died or left. */
  gone?: RefusalReason
  /** Columns that match no member of an animal. Set only for files of other programs. */
  leftOut?: string[]
  /** Values that could not be read, by column. Set only for files of other programs. */
  notUnderstood?: Record<string, string>
  /** True for a line of a table: values that are not valid are left out, as for other programs. */
  isTable?: boolean
  /** Unknown members in a file of adoptable's own format, for example misspelt members. */
  unknown?: string[]
  /** Members, such as `goodWith.cats`, that an earlier file may have set and this file clears. */
  withdrawn?: string[] | undefined
  /** Parts of `goodWith` that this file, which never says yes, clears only if the stored value is no. */
  noLongerNo?: string[] | undefined
  /** Answers that are neither yes nor no; see `answers.ts`. */
  answers?: Readonly<Record<string, string>> | undefined
}

/** The programs whose files an import can read, as named in `--from`. */
export const PROGRAMS = ['petfinder', 'rescuegroups', 'shelter-manager', 'shelterluv'] as const

export const FORMATS = ['ndjson', 'csv', 'json'] as const
export type Format = (typeof FORMATS)[number]

/** Finds the format from the ending of a file name. */
export function findFormat(file: string): Format | undefined {
  const ending = extname(file).slice(1).toLowerCase()
  return ending === 'jsonl' ? 'ndjson' : FORMATS.find((format) => format === ending)
}

/** A name for the system that the ids in a file come from. */
export const SOURCE_NAME = /^[^\p{Cc}\p{Cs}]{1,100}$/u

/** How to read the files of one program. */
export interface Mapping {
  formats: readonly [Format, ...Format[]]
  /** The columns that a CSV file of this program must have. */
  columns: readonly string[]
  /** The columns of another format of its CSV files, if there is one. */
  otherForm?: readonly string[]
  /** Optional columns. A heading that differs only in case is refused. */
  otherColumns?: readonly string[]
  /** Column names that replace the headings of a CSV file; an empty name skips the column. */
  names?: readonly string[]
  /** The member that contains the id of an animal. */
  idColumn?: string
  /** Whether an animal without an id is recognized by its line instead of being refused. */
  isIdOptional?: boolean
  /** Reads the id if it can be in one of several members. */
  idOf?(fields: Fields): unknown
  /** Members with dates, whose day or month may come first. */
  dateColumns?: readonly string[]
  /** Members with the date of intake. The first one that has a value counts. */
  intakeColumns?: readonly string[]
  /** Whether a line describes an animal. Default: every line does. */
  isAnimal?(fields: Fields): boolean
  /** The columns of members whose values a file can remove; see `answers.ts`. */
  sources?: Readonly<Record<string, readonly string[]>>
  /** The column with the status, if an empty cell takes the animal off the public pages. */
  statusColumn?: string
  /** Whether the file is in adoptable's own format, whose statuses count whatever the notes say. */
  isExact?: boolean
  /** Whether bonds name animals by ids other than the ids in the source. */
  hasBondIds?: true
  /** Whether an entry of the file is a visitor of the clinic, not an animal of the shelter. */
  isVisitor?(fields: Fields): boolean
  /** Members with addresses of photos. */
  photoMembers?: readonly string[]
  /** The meaning of the statuses that the program defines, by the result of `foldStatus`. */
  statuses?: StatusChoices
  /** Returns the animals in a parsed value, which is one animal by default. @throws {RefusalError} */
  animalsIn?(value: unknown): unknown[]
  /** @returns undefined if the line does not describe an animal @throws {Refused} */
  toAnimal(fields: Fields, format: Format, locale: Locale): Animal | undefined
}

/** How to read values whose meaning depends on the country of the shelter. */
export interface Locale {
  /** ISO 4217 code for fees. */
  currency: string
  /** Whether 03/04/2020 is 3 April instead of March 4; undefined if the file decides. */
  dayFirst?: boolean | undefined
  /** The order of the dates in each column, as the file shows it. */
  dateOrders?: ReadonlyMap<string, DateOrder>
  /** Unix time in milliseconds: a year of two digits is never later. */
  now?: number
  /** Whether weights without a unit are in pounds instead of kilograms. */
  pounds: boolean
}

/** The order for the dates of a column: the one that was chosen, or the one that the file shows. */
export function orderFor({ dayFirst, dateOrders }: Locale, column: string): DateOrder {
  if (dayFirst !== undefined) return dayFirst ? 'day' : 'month'
  return dateOrders?.get(column) ?? 'sure'
}

export const US_LOCALE: Locale = { currency: 'USD', pounds: false }
