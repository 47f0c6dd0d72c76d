import { parseInt64 } from '../http/int64.ts'
import { FIELDS, MEMBERS, type Member } from '../pets/fields.ts'
import { splitCell } from './report.ts'

// Converts an animal to a row of a table and back. Each member has a column. If a member is an object, each
// member of that object has its own column.

/** A column of the table, such as `breed.primary` of the member `breed`. */
export interface Column {
  column: string
  member: Member
  /** The name within the member; absent if the column contains the complete member. */
  part?: string
  type: unknown
  /** Whether the column contains a list of objects. A cell has one of them as JSON in each line. */
  hasObjects?: boolean
}

type Schema = { type?: unknown; items?: Schema; properties?: Record<string, Schema> }

export const COLUMNS: readonly Column[] = MEMBERS.flatMap((member): Column[] => {
  const { type, properties } = FIELDS[member].schema as Schema
  if (!properties) return [{ column: member, member, type }]
  return Object.entries(properties).map(([part, { type, items }]) => ({
    column: `${member}.${part}`,
    member,
    part,
    type,
    ...(items?.type === 'object' && { hasObjects: true }),
  }))
})

type Json = Record<string, unknown>

/** The cell of an animal in a column; empty if it has no value. */
export function formatCell(pet: Json, { member, part, type, hasObjects }: Column): string {
  const whole = pet[member]
  const value = part === undefined ? whole : (whole as Json | undefined)?.[part]
  if (value === undefined) return ''
  // Items of lists never contain line breaks.
  if (Array.isArray(value))
    return shieldFormulas(value.map((item) => (hasObjects ? JSON.stringify(item) : item)).join('\n'))
  return type === 'string' ? shieldFormulas(String(value)) : String(value)
}

/** Returns the animal of a row. A value that does not fit its column stays text, which validation refuses. */
export function parseCells(cells: Json): Json {
  const animal: Record<string, Json | unknown> = {}
  for (const { column, member, part, type, hasObjects } of COLUMNS) {
    const cell = cells[column]
    if (cell === undefined) continue
    const parsed = typeof cell === 'string' ? parseCell(cell, type) : cell
    const value = hasObjects && Array.isArray(parsed) ? parsed.map(parseObject) : parsed
    if (part === undefined) animal[member] = value
    else animal[member] = { ...(animal[member] as Json | undefined), [part]: value }
  }
  return animal
}

/** A line that is not JSON stays text, and validation refuses it. */
function parseObject(line: unknown): unknown {
  try {
    return JSON.parse(String(line))
  } catch {
    return line
  }
}

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
])

function parseCell(cell: string, type: unknown): unknown {
  // The only ids in lists are ids of the file (bondedWith), which are text.
  if (type === 'array') return splitCell(unshieldFormulas(cell), /\r?\n/)
  if (type === 'boolean') return BOOLEANS.get(cell.toLowerCase()) ?? cell
  if (type === 'integer') return parseInt64(cell) ?? cell
  if (type === 'number') return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(cell) ? Number(cell) : cell
  return unshieldFormulas(cell)
}

// Spreadsheet programs run a cell that begins like one of these as a formula. OWASP ("CSV Injection") advises
// to put an apostrophe before it, which marks the cell as text.

/** Matches the start, and each position after a character that may be taken for the end of a cell or line. */
const CELL_START = '(?<=^|[;\\t\\r\\n])'
/** Apostrophes and spaces may precede the sign. `'=` gets another apostrophe, so it differs from `=`. */
const FORMULA = "['\\x20]*[=+\\-@\\t\\r\\n＝＋－＠]"

const TO_SHIELD = new RegExp(`${CELL_START}(?=${FORMULA})`, 'g')
const SHIELDED = new RegExp(`${CELL_START}'(?=${FORMULA})`, 'g')

/** Protects a text from being run as a formula by a spreadsheet program. */
export function shieldFormulas(text: string): string {
  return text.replace(TO_SHIELD, "'")
}

/** Restores the exact text from before `shieldFormulas`. */
export function unshieldFormulas(cell: string): string {
  return cell.replace(SHIELDED, '')
}

/** Quotes as in RFC 4180, section 2, and also to keep spaces at either end. */
function quoteCell(text: string, separator: string): string {
  const needsQuotes = text.includes(separator) || /["\r\n]|^\s|\s$/.test(text)
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvLine = (cells: readonly string[], separator = ','): string =>
  `${cells.map((cell) => quoteCell(cell, separator)).join(separator)}\r\n`
