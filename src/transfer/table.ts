import { isKnownHeading } from './headings.ts'
import { MAPPINGS } from './mappings/all.ts'
import { isOwnColumn, ownMapping } from './mappings/own.ts'
import { readStatus } from './statuses.ts'
import { findCategoryName } from './word-lists.ts'

// Finds the headings of a table, and the rows of a spreadsheet that are not animals.

/** Spreadsheet programs write semicolons in countries with a decimal comma, and tabs to the clipboard. */
export const SEPARATORS = [',', ';', '\t', '|']

/** The headings are looked for in this many rows. */
export const MAX_TITLE_ROWS = 20

/** A row of a table: its cells, and the line on which it begins. */
export interface Row {
  number: number
  cells: string[]
}

export interface TableShape {
  separator: string
  /** The row with the headings; undefined for an empty file. */
  headings: Row | undefined
  /** The cells of the first row after the headings. */
  example: string[]
  /** Removes the reasons of skipped rows from the cells of a row. */
  withoutReason: (cells: string[]) => string[]
}

/** Excel and others obey a first line such as `sep=;`. */
export function namedSeparator(firstLine: string): string | undefined {
  return /^"?sep=([^\w\s"]|\t)"?[,;\t]*$/i.exec(firstLine)?.[1]
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '')
}

export function foldHeading(heading: string): string {
  return heading.trim().toLowerCase()
}

/** The columns that a file must have, for each form of file that the import knows. */
const FORMS = [ownMapping, ...Object.values(MAPPINGS)]
  .flatMap(({ columns, otherForm = [] }) => [columns, otherForm])
  .filter((form) => form.length > 0)
  .map((form) => form.map(foldHeading))

/** How many headings of a table a row has; 0 for a row that is not a heading row. */
function countHeadings(cells: string[]): number {
  const words = new Set(cells.map(foldHeading))
  if (FORMS.some((form) => form.every((column) => words.has(column)))) return words.size
  const filled = cells.filter((cell) => cell.trim() !== '')
  const count = filled.filter((cell) => isOwnColumn(cell) || isKnownHeading(cell)).length
  return count >= 2 || count === filled.length ? count : 0
}

const countFilled = ({ cells }: Row): number => cells.filter((cell) => cell.trim() !== '').length

/** Finds the row with the headings among the first rows of a file, because people put titles above it. */
export function findHeadings(rows: Row[]): { headings: Row | undefined; score: number } {
  const filled = rows.filter(({ cells }) => !isBlank(cells)).slice(0, MAX_TITLE_ROWS)
  let [headings, score]: [Row | undefined, number] = [undefined, 0]
  for (const row of filled) {
    const count = countHeadings(row.cells)
    if (count > score) [headings, score] = [row, count]
  }
  if (headings) return { headings, score }
  const [first] = filled
  // A title is alone in its row. Headings fill most of the columns.
  const most = Math.max(...filled.map(countFilled))
  const below = filled.find((row) => countFilled(row) > 1 && countFilled(row) * 2 > most)
  return { headings: first && countFilled(first) === 1 ? (below ?? first) : first, score }
}

/** Rows below or between the animals that spreadsheets and reports add. */
const TOTAL = /^(?:grand |sub)?total(?:es|s)?(?: [a-z]{1,20}){0,2}:?$|^(?:count|sum|suma|recuento):?$/i
/** The rows with a single cell that are not animals. */
const FOOTERS = [
  /^(?:grand |sub)?total(?:es|s)?(?:\b\D{0,30}\d{1,9}|:?)$/i,
  /^\d{1,9} (?:animal|dog|cat|record|row|registro|perro|gato)(?:e?s)?$/i,
  /^(?:animal|dog|cat|perro|gato)(?:e?s)?: ?\d{1,9}$/i,
  /^(?:page|página) \d|^end of (?:the )?(?:report|list)/i,
  /^(?:\* ?|note: |nota: )\S+(?: \S+){2}/i,
  /^(?:printed|exported|report|impreso|generado|exportado)\b.{0,60}\d/i,
]

/** Whether a row has a total or a footer instead of an animal. */
export function isTotal(cells: string[]): boolean {
  const [first = '', ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  if (first.length > 100) return false
  if (others.length === 0) return FOOTERS.some((pattern) => pattern.test(first)) || isSection(first)
  return TOTAL.test(first) && others.every((cell) => /^[$€£]?[\d.,]+$/.test(cell))
}

/** Whether a row is the title of a part of the table: "CATS", "Perros en adopción". */
function isSection(text: string): boolean {
  const [word = '', ...others] = text.split(/[\s:]+/).filter((part) => part !== '')
  const isPlural = /[^s]s$/i.test(word) && findCategoryName(word) !== undefined
  return isPlural && (others.length === 0 || readStatus(others.join(' ')) !== undefined)
}

/** The headings of the column with the reasons in the file of skipped rows, by language. */
export const REASON_HEADINGS = { en: 'Why it was skipped', es: 'Por qué se omitió' }

const REASONS = new Set(Object.values(REASON_HEADINGS))

/** Returns a function that removes the reasons from skipped rows, which people correct and upload again. */
export function reasonRemover(headings: readonly string[] = []): (cells: string[]) => string[] {
  const at = headings.findIndex((heading) => REASONS.has(heading.trim()))
  return at < 0 ? (cells) => cells : (cells) => cells.toSpliced(at, 1)
}
