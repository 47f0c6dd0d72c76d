import { hash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Comparison, compare } from './copy-check.ts'
import { openPostgresSide } from './copy-postgres.ts'
import { newRows, openSqliteSide } from './copy-sqlite.ts'
import { countOf, FILLED, MIGRATIONS, SECRETS, type Side, TABLES, type Table } from './copy-tables.ts'
import { fileOf, isPostgres } from './store-url.ts'

/** Is called with every batch; a step begins when it is called with another name. */
export type Progress = (step: 'copying' | 'checking', done: number, total: number) => void

export interface Stores {
  from: string
  to: string
}

export interface Outcome {
  comparisons: Comparison[]
  equal: boolean
  /** Whether the target was a finished copy before, and nothing was changed. */
  finishedBefore: boolean
}

/** The row among the secrets of a target that says whose unfinished copy it is. */
const MARK = 'copy'
/** Without it no service starts: on an unfinished copy it is the last to come. */
const CURSOR = 'cursor'

/** The copy is there, and is not what was copied. */
class Differing extends Error {
  readonly comparisons: Comparison[]

  constructor(comparisons: Comparison[]) {
    super('the copy differs from its source')
    this.comparisons = comparisons
  }
}

/**
 * Copies one store into another that is empty, or goes on with an earlier copy of the same one; of a copy
 * that was finished before it only compares. A kill at any moment leaves what the next call goes on with.
 *
 * When something differs at the end, the copy stays unfinished.
 *
 * @throws when either store is in use, or the target holds something else
 */
export function copyStore(stores: Stores, progress: Progress): Promise<Outcome> {
  return withBoth(stores, async (source, target) => {
    const secrets = await source.rows('select name, value from secret')
    const cursor = String(secrets.find(([name]) => name === CURSOR)?.[1])
    if (secrets.some(([name]) => name === MARK))
      throw new Error(`${source.name} is an unfinished copy itself`)
    const mark = hash('sha256', `copy of ${cursor}`)
    const state = await stateOf(target, cursor, mark)
    await target.migrate()
    if (state === 'empty') await begin(target, mark)
    const finishedBefore = state === 'finished'
    const comparisons = await source.transaction(() =>
      finishedBefore
        ? target.transaction(() => check(source, target, progress))
        : copyRows(source, target, progress).catch(toBeGoneOnWith),
    )
    return { comparisons, equal: comparisons.every(({ equal }) => equal), finishedBefore }
  })
}

/** Compares two stores, whatever they hold. */
export function compareStores(stores: Stores): Promise<Comparison[]> {
  return withBoth(stores, (source, target) =>
    source.transaction(() => target.transaction(() => compare(source, target, () => undefined))),
  )
}

/** Claims both stores for the work. */
async function withBoth<Result>(
  { from, to }: Stores,
  work: (source: Side, target: Side) => Promise<Result>,
): Promise<Result> {
  if (placeOf(from) === placeOf(to)) throw new Error('the two stores are the same one')
  await using opened = new AsyncDisposableStack()
  const source = await openSide(from, true)
  opened.defer(() => source.close())
  const target = await openSide(to, false)
  opened.defer(() => target.close())
  if (!(await source.tables()).includes(MIGRATIONS)) throw new Error(`there is no store in ${source.name}`)
  await source.migrate()
  return await work(source, target)
}

/** Claims a store for a command that needs it to itself. */
export function openSide(url: string, mustExist: boolean): Promise<Side> {
  return isPostgres(url) ? openPostgresSide(url) : openSqliteSide(fileOf(url), mustExist)
}

function placeOf(url: string): string {
  if (isPostgres(url)) return url
  const file = fileOf(url)
  return existsSync(file) ? realpathSync(file) : resolve(file)
}

/** @throws when the target holds anything else than a new store has, or than this copy put there */
async function stateOf(target: Side, cursor: string, mark: string): Promise<'empty' | 'begun' | 'finished'> {
  const there = await target.tables()
  if (there.length === 0) return 'empty'
  if (!there.includes(MIGRATIONS)) throw new Error(`${target.name} holds tables of another program`)
  const secrets = there.includes(SECRETS.name) ? await target.rows('select name, value from secret') : []
  const secret = new Map(secrets.map(([name, value]) => [name, value]))
  if (secret.get(MARK) === mark) return 'begun'
  if (secret.has(MARK)) throw new Error(`${target.name} holds an unfinished copy of another store`)
  if (secret.get(CURSOR) === cursor) return 'finished'
  for (const { name } of TABLES.filter((table) => table !== SECRETS && there.includes(table.name))) {
    const look = FILLED[name]
    if (look === undefined) refuseRows(target, name, await countOf(target, name))
    else if (!(await isAsNew(target, look))) throw new Error(`${target.name} has rows of its own in ${name}`)
  }
  return 'empty'
}

function refuseRows({ name }: Side, table: string, rows: bigint): void {
  if (rows > 0n) throw new Error(`${name} is not empty: its table ${table} has rows (${rows})`)
}

async function isAsNew(target: Side, look: string): Promise<boolean> {
  const there = await target.rows(look)
  return there.length === 0 || there.map(String).join('\n') === (await newRows(look)).map(String).join('\n')
}

/** From here on the target is nothing but this copy, and no service starts on it. */
function begin(target: Side, mark: string): Promise<void> {
  return target.transaction(async () => {
    for (const table of Object.keys(FILLED)) await target.rows(`delete from ${table}`)
    await target.rows('delete from secret')
    await target.insert(SECRETS, ['name', 'value'], [[MARK, mark]])
  })
}

function toBeGoneOnWith(cause: Error): never {
  throw new Error(`the copy is not finished: ${cause.message}; run it again to go on`, { cause })
}

async function copyRows(source: Side, target: Side, progress: Progress): Promise<Comparison[]> {
  const tables = TABLES.filter((table) => table !== SECRETS)
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

/** In one transaction, so that a store which a service starts on was found equal. */
async function finish(source: Side, target: Side, progress: Progress): Promise<Comparison[]> {
  try {
    const comparisons = await target.transaction(async () => {
      const columns = await source.columns(SECRETS.name)
      await target.rows('delete from secret')
      for await (const secrets of source.batches(SECRETS, columns))
        await target.insert(SECRETS, columns, secrets)
      for (const table of TABLES.filter(({ givesIds }) => givesIds)) {
        await target.setLastId(table, await source.lastId(table))
      }
      const found = await check(source, target, progress)
      if (found.some(({ equal }) => !equal)) throw new Differing(found)
      return found
    })
    await target.analyze()
    return comparisons
  } catch (error) {
    if (error instanceof Differing) return error.comparisons
    throw error
  }
}

async function check(source: Side, target: Side, progress: Progress): Promise<Comparison[]> {
  const total = (await totalOf(source, TABLES)) + (await totalOf(target, TABLES))
  let done = 0
  return compare(source, target, (count) => {
    done += count
    progress('checking', done, total)
  })
}

async function totalOf(side: Side, tables: Table[]): Promise<number> {
  let total = 0
  for (const { name } of tables) total += Number(await countOf(side, name))
  return total
}
