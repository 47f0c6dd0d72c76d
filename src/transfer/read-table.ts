import { peek } from './peek.ts'
import { programOf, recordsOf, separatorOf } from './read-csv.ts'

/** The beginning of a CSV file. */
export interface Table {
  headings: string[]
  /** The cells of the first line below them. */
  example: string[]
}

/** Nobody chooses among more columns. */
const MAX_COLUMNS = 1_000

/**
 * Looks at the columns of a table that a shelter made itself.
 *
 * @returns undefined for what is no such table: what is wrong with it, the import tells
 */
export async function readTable(file: AsyncIterable<Buffer>): Promise<Table | undefined> {
  const { firstLine, input } = await peek(file)
  if (/^\s*[{[]/.test(firstLine)) return undefined
  const records: string[][] = []
  for await (const { cells } of recordsOf(input, separatorOf(firstLine, ['name']))) {
    if (cells) records.push(cells)
    if (!cells || records.length === 2) break
  }
  const [headings, example = []] = records
  if (!headings || headings.length > MAX_COLUMNS) return undefined
  return headings.includes('name') || !programOf(headings) ? { headings, example } : undefined
}
