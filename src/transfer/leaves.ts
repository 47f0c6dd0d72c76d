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
}

type Schema = { type?: unknown; properties?: Record<string, Schema> }

export const LEAVES: readonly Leaf[] = MEMBERS.flatMap((member): Leaf[] => {
  const { type, properties } = FIELDS[member].schema as Schema
  if (!properties) return [{ column: member, member, type }]
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
  for (const { column, member, part, type } of LEAVES) {
    const cell = cells[column]
    if (cell === undefined) continue
    const value = typeof cell === 'string' ? fromCell(cell, type) : cell
    if (part === undefined) animal[member] = value
    else animal[member] = { ...(animal[member] as Json | undefined), [part]: value }
  }
  return animal
}

function fromCell(cell: string, type: unknown): unknown {
  // Ids in a list are those of the file, which are texts.
  if (type === 'array') return unshieldFormulas(cell).split(/\r?\n/)
  if (type === 'boolean') return { true: true, false: false }[cell.toLowerCase()] ?? cell
  if (type === 'integer') return int64(cell) ?? cell
  if (type === 'number') return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(cell) ? Number(cell) : cell
  return unshieldFormulas(cell)
}
