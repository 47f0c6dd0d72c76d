import { int64 } from '../http/int64.ts'
import { FIELDS, MEMBERS, type Member } from '../pets/fields.ts'
import { shieldFormulas, unshieldFormulas } from './formula.ts'

// An animal as a row of a table: a column for each of its members, and for each member of those.

/** What has a column: `breed.primary`, of the member breed. */
export interface Leaf {
  column: string
  member: Member
  /** Absent where the member itself has the column. */
  part?: string
  type: unknown
  /** Of a list, the type of what is in it. */
  items?: unknown
}

type Schema = { type?: unknown; items?: Schema; properties?: Record<string, Schema> }

export const LEAVES: readonly Leaf[] = MEMBERS.flatMap((member): Leaf[] => {
  const { type, items, properties } = FIELDS[member].sent as Schema
  if (!properties) return [{ column: member, member, type, items: items?.type }]
  return Object.entries(properties).map(([part, { type }]) => ({
    column: `${member}.${part}`,
    member,
    part,
    type,
  }))
})

type Json = Record<string, unknown>

/** What the columns hold of an animal; empty where it has no value. */
export function cellOf(pet: Json, { member, part, type }: Leaf): string {
  const whole = pet[member]
  const value = part === undefined ? whole : (whole as Json | undefined)?.[part]
  if (value === undefined) return ''
  // No text in a list has a line end.
  if (Array.isArray(value)) return shieldFormulas(value.join('\n'))
  return type === 'string' ? shieldFormulas(String(value)) : String(value)
}

/** The animal of such a row. What has not the type of its column stays text, and is refused as such. */
export function fromCells(cells: Json): Json {
  const animal: Record<string, Json | unknown> = {}
  for (const { column, member, part, type, items } of LEAVES) {
    const cell = cells[column]
    if (cell === undefined) continue
    const value = typeof cell === 'string' ? fromCell(cell, type, items) : cell
    if (part === undefined) animal[member] = value
    else animal[member] = { ...(animal[member] as Json | undefined), [part]: value }
  }
  return animal
}

function fromCell(cell: string, type: unknown, items?: unknown): unknown {
  if (type === 'array') {
    const texts = unshieldFormulas(cell).split(/\r?\n/)
    return items === 'integer' ? texts.map(toInteger) : texts
  }
  if (type === 'boolean') return { true: true, false: false }[cell.toLowerCase()] ?? cell
  if (type === 'integer') return toInteger(cell)
  if (type === 'number') return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(cell) ? Number(cell) : cell
  return unshieldFormulas(cell)
}

function toInteger(cell: string): unknown {
  const value = int64(cell)
  if (value === undefined) return cell
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}
