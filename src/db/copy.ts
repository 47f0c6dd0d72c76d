import { createHash, type Hash, hash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  COPIED_TABLES,
  type CopiedTable,
  type CopySide,
  countOf,
  INVENTORY_TABLE,
  MIGRATIONS_TABLE,
  newRows,
  openSide,
  type Row,
  SECRET_TABLE,
  SEEDED_TABLES,
} from './copy-sides.ts'
import { fileOf, isPostgres } from './store-url.ts'

/** Called after each batch. `step` changes when the next step begins. */
export type Progress = (step: 'copying' | 'checking', done: number, total: number) => void

export interface CopyUrls {
  from: string
  to: string
}

export interface CopyResult {
  comparisons: Comparison[]
  equal: boolean
  /** True if the target was already a finished copy. In that case the two stores were only compared. */
  finishedBefore: boolean
}

/** The name of the `secret` row that marks an unfinished copy and identifies its source. */
const COPY_MARK = 'copy'
/** The name of the `secret` row that every service needs to start. It is copied last. */
const CURSOR_SECRET = 'cursor'

/** Thrown to roll back the last step when the copy differs from its source. */
class StoresDifferError extends Error {
  readonly comparisons: Comparison[]

  constructor(comparisons: Comparison[]) {
    super('the copy differs from its source')
    this.comparisons = comparisons
  }
}

/**
 * Copies a store into an empty one, or resumes an unfinished copy of the same source, even after a kill. A
 * finished copy is only compared. If the stores differ at the end, the copy stays unfinished.
 * @throws if either store is in use, or the target contains other data
 */
export function copyStore(stores: CopyUrls, progress: Progress): Promise<CopyResult> {
  return withBothStores(stores, async (source, target) => {
    const secrets = await source.rows('select name, value from secret')
    const cursor = String(secrets.find(([name]) => name === CURSOR_SECRET)?.[1])
    if (secrets.some(([name]) => name === COPY_MARK))
      throw new Error(`${source.name} is an unfinished copy itself`)
    const mark = hash('sha256', `copy of ${cursor}`)
    const state = await stateOf(target, cursor, mark)
    await target.migrate()
    if (state === 'empty') await begin(target, mark)
    const finishedBefore = state === 'finished'
    const comparisons = await source.transaction(() =>
      finishedBefore
        ? target.transaction(() => check(source, target, progress))
        : copyRows(source, target, progress).catch(failUnfinished),
    )
    return { comparisons, equal: comparisons.every(({ equal }) => equal), finishedBefore }
  })
}

export function compareStores(stores: CopyUrls): Promise<Comparison[]> {
  return withBothStores(stores, (source, target) =>
    source.transaction(() => target.transaction(() => compare(source, target, () => undefined))),
  )
}

/** Runs `work` while no other process can use either store. */
async function withBothStores<Result>(
  { from, to }: CopyUrls,
  work: (source: CopySide, target: CopySide) => Promise<Result>,
): Promise<Result> {
  if (placeOf(from) === placeOf(to)) throw new Error('the two stores are the same one')
  await using opened = new AsyncDisposableStack()
  const source = await openSide(from, true)
  opened.defer(() => source.close())
  const target = await openSide(to, false)
  opened.defer(() => target.close())
  if (!(await source.tables()).includes(MIGRATIONS_TABLE))
    throw new Error(`there is no store in ${source.name}`)
  await source.migrate()
  return await work(source, target)
}

function placeOf(url: string): string {
  if (isPostgres(url)) return url
  const file = fileOf(url)
  return existsSync(file) ? realpathSync(file) : resolve(file)
}

/** @throws if the target contains rows that neither a new store nor this copy has */
async function stateOf(
  target: CopySide,
  cursor: string,
  mark: string,
): Promise<'empty' | 'begun' | 'finished'> {
  const tables = await target.tables()
  if (tables.length === 0) return 'empty'
  if (!tables.includes(MIGRATIONS_TABLE)) throw new Error(`${target.name} contains tables of another program`)
  const secrets = tables.includes(SECRET_TABLE.name)
    ? await target.rows('select name, value from secret')
    : []
  const secret = new Map(secrets.map(([name, value]) => [name, value]))
  if (secret.get(COPY_MARK) === mark) return 'begun'
  if (secret.has(COPY_MARK)) throw new Error(`${target.name} contains an unfinished copy of another store`)
  if (secret.get(CURSOR_SECRET) === cursor) return 'finished'
  for (const { name } of COPIED_TABLES.filter(
    (table) => table !== SECRET_TABLE && tables.includes(table.name),
  )) {
    const query = SEEDED_TABLES[name]
    if (query === undefined) refuseRows(target, name, await countOf(target, name))
    else if (!(await hasOnlyInitialRows(target, query)))
      throw new Error(`${target.name} already has rows in ${name}`)
  }
  return 'empty'
}

function refuseRows({ name }: CopySide, table: string, rows: bigint): void {
  if (rows > 0n) throw new Error(`${name} is not empty: its table ${table} has rows (${rows})`)
}

async function hasOnlyInitialRows(target: CopySide, query: string): Promise<boolean> {
  const present = await target.rows(query)
  return (
    present.length === 0 || present.map(String).join('\n') === (await newRows(query)).map(String).join('\n')
  )
}

/** Marks the target as an unfinished copy, which no service opens, and removes the rows of a new store. */
function begin(target: CopySide, mark: string): Promise<void> {
  return target.transaction(async () => {
    for (const table of Object.keys(SEEDED_TABLES)) await target.rows(`delete from ${table}`)
    await target.rows('delete from secret')
    await target.insert(SECRET_TABLE, ['name', 'value'], [[COPY_MARK, mark]])
  })
}

function failUnfinished(cause: Error): never {
  throw new Error(`the copy is not finished: ${cause.message}; run the command again to resume it`, { cause })
}

async function copyRows(source: CopySide, target: CopySide, progress: Progress): Promise<Comparison[]> {
  const tables = COPIED_TABLES.filter((table) => table !== SECRET_TABLE)
  const total = await totalOf(source, tables)
  let done = await totalOf(target, tables)
  progress('copying', done, total)
  for (const table of tables) {
    const columns = await source.columns(table.name)
    for await (const batch of source.batches(table, columns, await target.lastKey(table))) {
      await target.transaction(() => target.insert(table, columns, batch))
      done += batch.length
      progress('copying', done, total)
    }
  }
  return finish(source, target, progress)
}

/** Compares and finishes the copy in one transaction, so no service starts on a copy that differs. */
async function finish(source: CopySide, target: CopySide, progress: Progress): Promise<Comparison[]> {
  try {
    const comparisons = await target.transaction(async () => {
      const columns = await source.columns(SECRET_TABLE.name)
      await target.rows('delete from secret')
      for await (const secrets of source.batches(SECRET_TABLE, columns))
        await target.insert(SECRET_TABLE, columns, secrets)
      for (const table of COPIED_TABLES.filter(({ givesIds }) => givesIds)) {
        await target.setLastId(table, await source.lastId(table))
      }
      const found = await check(source, target, progress)
      if (found.some(({ equal }) => !equal)) throw new StoresDifferError(found)
      return found
    })
    await target.analyze()
    return comparisons
  } catch (error) {
    if (error instanceof StoresDifferError) return error.comparisons
    throw error
  }
}

async function check(source: CopySide, target: CopySide, progress: Progress): Promise<Comparison[]> {
  const total = (await totalOf(source, COPIED_TABLES)) + (await totalOf(target, COPIED_TABLES))
  let done = 0
  return compare(source, target, (count) => {
    done += count
    progress('checking', done, total)
  })
}

async function totalOf(side: CopySide, tables: CopiedTable[]): Promise<number> {
  let total = 0
  for (const { name } of tables) total += Number(await countOf(side, name))
  return total
}

/** The comparison of one table. Each pair has the value of the source first. */
export interface Comparison {
  table: string
  rows: [number, number]
  /** SHA-256 of all rows in key order, in hexadecimal. */
  hashes: [string, string]
  /** The highest id that the store has ever assigned; absent for a table without generated ids. */
  lastIds?: [bigint, bigint]
  equal: boolean
}

interface Content {
  rows: number
  hash: string
}

/** Queries the counts of `pet`, and those of the inventory, with slots added up and zeros left out. */
const PET_COUNT = `
  select coalesce(organization_id, 0), category_id, coalesce(status, 'unlisted'), count(*) from pet
  group by 1, 2, 3`
const INVENTORY_COUNT = `
  select organization_id, category_id, status, cast(sum(pets) as bigint) from ${INVENTORY_TABLE}
  group by 1, 2, 3 having sum(pets) <> 0`

/** Reads every row of both stores. Both must be in a transaction. */
async function compare(
  source: CopySide,
  target: CopySide,
  readRows: (count: number) => void,
): Promise<Comparison[]> {
  const found: Comparison[] = []
  for (const table of COPIED_TABLES) {
    // Reads the source's columns from both stores, so a column that is missing in the target causes an error.
    const columns = await source.columns(table.name)
    const contents = await Promise.all(
      [source, target].map((side) => contentOf(side, table, columns, readRows)),
    )
    const lastIds = table.givesIds
      ? await Promise.all([source.lastId(table), target.lastId(table)])
      : undefined
    found.push(comparison(table.name, contents, lastIds))
  }
  const counts = [await source.rows(PET_COUNT), await target.rows(INVENTORY_COUNT)]
  return [...found, comparison(INVENTORY_TABLE, counts.map(contentOfCounts))]
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
  side: CopySide,
  table: CopiedTable,
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

/** Encodes a row unambiguously. Text is quoted, so it cannot look like a number, null or the end of a row. */
function lineOf(row: Row): string {
  return `${row.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)))}\n`
}
