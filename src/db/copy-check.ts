import { createHash, type Hash } from 'node:crypto'
import { COUNTED, type Row, type Side, TABLES, type Table } from './copy-tables.ts'

/** One table as both stores have it, the source's part first. */
export interface Comparison {
  table: string
  rows: [number, number]
  /** SHA-256 over all rows in the order of their key, in hexadecimal. */
  hashes: [string, string]
  /** The highest id that was ever given out; of a table that gives ids. */
  lastIds?: [bigint, bigint]
  equal: boolean
}

interface Content {
  rows: number
  hash: string
}

/** What the inventory has to be, and what it is. Of an engine's slots, and of what was counted to 0, neither tells. */
const COUNT = `
  select coalesce(organization_id, 0), category_id, coalesce(status, 'unlisted'), count(*) from pet
  group by 1, 2, 3`
const KEPT_COUNT = `
  select organization_id, category_id, status, cast(sum(pets) as bigint) from ${COUNTED}
  group by 1, 2, 3 having sum(pets) <> 0`

/** Reads every row of both stores, computing the same of each; both are in a transaction. */
export async function compare(
  source: Side,
  target: Side,
  readRows: (count: number) => void,
): Promise<Comparison[]> {
  const found: Comparison[] = []
  for (const table of TABLES) {
    // The source's columns for both: one that the target lacks fails, it does not go unnoticed.
    const columns = await source.columns(table.name)
    const contents = await Promise.all(
      [source, target].map((side) => contentOf(side, table, columns, readRows)),
    )
    const lastIds = table.givesIds
      ? await Promise.all([source.lastId(table), target.lastId(table)])
      : undefined
    found.push(comparison(table.name, contents, lastIds))
  }
  const counts = [await source.rows(COUNT), await target.rows(KEPT_COUNT)]
  return [...found, comparison(COUNTED, counts.map(contentOfCounts))]
}

function comparison(table: string, contents: Content[], lastIds?: [bigint, bigint]): Comparison {
  const [one, other] = contents as [Content, Content]
  return {
    table,
    rows: [one.rows, other.rows],
    hashes: [one.hash, other.hash],
    ...(lastIds && { lastIds }),
    equal: one.rows === other.rows && one.hash === other.hash && lastIds?.[0] === lastIds?.[1],
  }
}

async function contentOf(
  side: Side,
  table: Table,
  columns: string[],
  readRows: (count: number) => void,
): Promise<Content> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const batch of side.batches(table, columns)) {
    hashRows(hash, batch.map(lineOf))
    rows += batch.length
    readRows(batch.length)
  }
  return { rows, hash: hash.digest('hex') }
}

function contentOfCounts(counts: Row[]): Content {
  const hash = createHash('sha256')
  hashRows(hash, counts.map(lineOf).sort())
  return { rows: counts.length, hash: hash.digest('hex') }
}

function hashRows(hash: Hash, lines: string[]): void {
  hash.update(lines.join(''))
}

/** Equal for equal rows only: text is in quotes, and so never a number, the absence of one, or an end. */
function lineOf(row: Row): string {
  return `${row.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)))}\n`
}
