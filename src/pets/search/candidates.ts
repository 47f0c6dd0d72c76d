import { type RawBuilder, sql } from 'kysely'
import type { PickedRow } from '../row.ts'
import { SHOWN_COLUMNS } from '../store.ts'
import type { Key } from './matching.ts'

/** By what an animal comes where it does: of an order by ids the number of its part, and its id. */
export type Position = readonly [key: number | string, id: number]

/** An animal that has the tokens, with its place in the order; whether it fits in all is still to be seen. */
export interface Candidate {
  position: Position
  place: string | null
  row: PickedRow
}

/** Ends where there is nothing more, or returns from where to go on. */
export type Candidates = AsyncGenerator<Candidate[], Position | undefined>

/** An animal with the token of where it is, and what it is sorted by. */
export interface CandidateRow extends PickedRow {
  itsPlace: string | null
  itsKey: string | number
}

export const toCandidate = (key: string | number, row: CandidateRow): Candidate => ({
  position: [key, row.id],
  place: row.itsPlace,
  row,
})

const SHOWN = SHOWN_COLUMNS.map((column) => {
  const [name = '', as = name] = column.split(' as ')
  return sql`pet.${sql.raw(name)} as ${sql.raw(`"${as}"`)}`
})

/** What a candidate is made of. */
export const columnsWith = (key: Key | undefined): RawBuilder<unknown> =>
  sql.join([
    sql`s.place as "itsPlace"`,
    sql`${key === undefined ? sql`0` : sql.ref(`s.${key}`)} as "itsKey"`,
    ...SHOWN,
  ])
