import Type, { type Static, type TSchema } from 'typebox'
import type { Tables } from '../db/tables.ts'
import { ONE_LINE } from '../http/text.ts'

/** A member of an animal. */
interface Field {
  /** Where the store keeps it. */
  column: keyof Tables['pet']
  /** What a client may send. */
  sent: TSchema
  /** What a client gets. */
  shown: TSchema
  /** From the column's value, which is not null, to what is shown; the value itself when absent. */
  read?(value: unknown): unknown
}

export const PetStatus = Type.Enum(['available', 'pending', 'sold'], {
  type: 'string',
  title: 'PetStatus',
  description: 'Availability of an animal.',
})

export type PetStatus = Static<typeof PetStatus>

/** An int64 that a client sends: a bigint where a number would not be exact. */
export const SentInt64 = Type.Unsafe<number | bigint>(Type.Integer({ format: 'int64' }))

const Name = Type.String({
  description: "The animal's name: stored and returned exactly as sent.",
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
})

const CATEGORY = { description: 'Identifier of the category the animal belongs to.' }

/**
 * Every member of an animal but its id. The one table: schemas, statements, history, import and export are
 * made of it, and the description, the reference and the client of those.
 */
export const FIELDS = {
  name: { column: 'name', sent: Name, shown: Name },
  categoryId: {
    column: 'category_id',
    sent: Type.Unsafe<number | bigint>({ ...SentInt64, ...CATEGORY }),
    shown: Type.Integer({ format: 'int64', ...CATEGORY }),
    read: Number,
  },
  status: { column: 'status', sent: Type.Optional(PetStatus), shown: Type.Optional(PetStatus) },
} as const satisfies Record<string, Field>

type Fields = typeof FIELDS
export type Member = keyof Fields
export type Column = Fields[Member]['column']

/** In the order in which they are shown. */
export const MEMBERS = Object.keys(FIELDS) as Member[]

export const columnOf = (member: Member): Column => FIELDS[member].column

/** The columns of all members, each with what stands for the value of its member in a statement. */
export function byColumn<Value>(standIn: (member: Member) => Value): Record<Column, Value> {
  return Object.fromEntries(MEMBERS.map((member) => [columnOf(member), standIn(member)])) as never
}

/** The value of a member as it is shown, from that of its column or from one that was sent. */
export function shownOf(member: Member, value: unknown): unknown {
  const { read }: Field = FIELDS[member]
  return read ? read(value) : value
}

/** The schemas of all members, as they are sent or as they are shown. */
export function schemasOf<Side extends 'sent' | 'shown'>(
  side: Side,
): { [Name in Member]: Fields[Name][Side] } {
  return Object.fromEntries(MEMBERS.map((member) => [member, FIELDS[member][side]])) as never
}
