import type { Fill } from './prepared.ts'

/** So many rows are one statement, of those that are many. */
export const ROWS = 200

/** Of a statement with many rows: a value that all share by its name, others with the number of their row. */
export type Values = Record<string, never>

/** The values of rows, and of what they share. */
export function valuesOf(rows: object[], shared: object): Values {
  const values: Record<string, unknown> = { ...shared, rows: rows.length }
  for (const [index, row] of rows.entries()) {
    for (const [name, value] of Object.entries(row)) values[name + index] = value
  }
  return values as Values
}

/** Each row of the statement. @param toRow gets what fills the value of a member in this row */
export function rowsOf<Row>(values: Values, fill: Fill<Values>, toRow: (own: Fill<Values>) => Row): Row[] {
  return Array.from({ length: Number(values.rows) }, (_, index) => toRow((name) => fill(`${name}${index}`)))
}

/** A statement of other rows has another text. */
export const shapeOf = ({ rows }: Values): string => String(rows)
