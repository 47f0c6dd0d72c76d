import { readRecords } from './csv.ts'
import type { Encoding } from './encoding.ts'
import { type ImportFile, openTable } from './read.ts'

/** The raw rows of a CSV file. */
export interface Rows {
  separator: string
  headings: string[]
  rows: { number: number; cells: string[] }[]
}

/** Reads some rows of a table as they are in the file. @returns undefined for a file of another format */
export async function readRows(
  file: ImportFile,
  wanted: ReadonlySet<number>,
  chosen?: Encoding,
): Promise<Rows | undefined> {
  const table = await openTable(file, chosen)
  if (!table) return undefined
  const { separator, headings, input, withoutReason } = table
  const found: Rows = { separator, headings, rows: [] }
  for await (const { number, cells } of readRecords(input, separator))
    if (cells && wanted.has(number)) found.rows.push({ number, cells: withoutReason(cells) })
  return found
}
