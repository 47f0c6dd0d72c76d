import { findTable, readRecords } from './csv.ts'
import { findEncoding, toUtf8 } from './encoding.ts'
import { type ImportFile, peek } from './read.ts'

/** The raw rows of a CSV file. */
export interface Rows {
  separator: string
  headings: string[]
  rows: { number: number; cells: string[] }[]
}

/** Reads some rows of a table as they are in the file. @returns undefined for a file of another format */
export async function readRows(file: ImportFile, wanted: ReadonlySet<number>): Promise<Rows | undefined> {
  const { encoding } = await findEncoding(() => file.bytes())
  const { head, firstLine, input } = await peek(toUtf8(file.bytes(), encoding))
  if (/^\s*[{[]/.test(firstLine)) return undefined
  const { separator, headings } = await findTable(head, [['name']])
  if (!headings) return undefined
  const found: Rows = { separator, headings: headings.cells, rows: [] }
  for await (const { number, cells } of readRecords(input, separator))
    if (cells && wanted.has(number)) found.rows.push({ number, cells })
  return found
}
