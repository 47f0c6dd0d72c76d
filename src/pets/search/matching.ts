import { sql } from 'kysely'
import { dialectOf } from '../../db/dialect.ts'
import type { Db } from '../../db/tables.ts'
import { yieldToEventLoop } from '../../http/turns.ts'
import { compareBytes } from '../../search/words.ts'
import { STORED_COLUMNS, type StoredRow } from '../row.ts'
import { fitsInPostgres, rareFitsInPostgres, readFromPostgres } from './postgres.ts'
import {
  type Direction,
  expressionOf,
  ID_BLOCK,
  idBlock,
  isAll,
  type KeyedRow,
  type Reading,
  type Sql,
  type TokenQuery,
  tail,
  token,
} from './tokens.ts'

// Queries the search index, which is FTS5 in SQLite and GIN in PostgreSQL.

/** The position of an animal: its sort key and id. In an order by id, the key is the part (see `find.ts`). */
export type Position = readonly [key: number | string, id: number]

/** An animal that has the tokens, with its position. The exact tests may still exclude the animal. */
export interface Candidate {
  position: Position
  place: string | null
  row: StoredRow
}

/** Batches of animals. The generator returns where to continue, or undefined at the end. */
export type Candidates = AsyncGenerator<Candidate[], Position | undefined>

/** A row with the animal's sort key and the token of its place. */
export interface CandidateRow extends StoredRow {
  placeToken: string | null
  sortKey: string | number
}

export const toCandidate = (key: string | number, row: CandidateRow): Candidate => ({
  position: [key, row.id],
  place: row.placeToken,
  row,
})

const SHOWN = STORED_COLUMNS.map((column) => {
  const [name = '', as = name] = column.split(' as ')
  return sql`pet.${sql.raw(name)} as ${sql.raw(`"${as}"`)}`
})

/** SQLite reads and sorts up to this many matches, or else tests each animal in the order of the key. */
const MAX_SORTED = 5_000
/**
 * The number of animals that one statement tests, because other requests wait for the statement. All matches
 * may be at the end of the order, for example available animals in the order of publication.
 */
const MAX_TESTED = 500
/** With fewer clauses, one statement for all ids is fast enough, and several would take longer. */
const MIN_SPLIT_CLAUSES = 4

/** Reads the animals that have the tokens, in order. */
export function readCandidates(db: Db, reading: Reading): Promise<CandidateRow[]> {
  const key = reading.key === undefined ? sql`0` : sql.ref(`s.${reading.key}`)
  return read(db, reading, sql.join([sql`s.place as "placeToken"`, sql`${key} as "sortKey"`, ...SHOWN]), true)
}

/** Reads only columns of `pet_search` (alias `s`), which is faster. */
export const readKeys = <Row extends { id: number }>(
  db: Db,
  reading: Reading,
  columns: Sql,
): Promise<Row[]> => read(db, reading, columns, false)

function read<Row extends KeyedRow>(
  db: Db,
  reading: Reading,
  columns: Sql,
  withPet: boolean,
): Promise<Row[]> {
  const readBy = dialectOf(db).engine === 'sqlite' ? readFromSqlite<Row> : readFromPostgres<Row>
  return readBy(db, reading, columns, withPet)
}

// In SQLite, a cross join keeps the order of the tables.
const petOf = (withPet: boolean): Sql => (withPet ? sql`cross join pet on pet.id = s.pet_id` : sql``)

const fitsOf = (tokenQuery: TokenQuery): Sql => sql`pet_tokens match ${expressionOf('sqlite', tokenQuery)}`

async function readFromSqlite<Row extends KeyedRow>(
  db: Db,
  reading: Reading,
  columns: Sql,
  withPet: boolean,
): Promise<Row[]> {
  const { tokenQuery, key, direction, after, limit, ids } = reading
  const { runOwnPlan } = dialectOf(db)
  const pets = petOf(withPet)
  if (isAll(tokenQuery)) {
    const { where, order } = tail(db, reading, sql`s.pet_id`)
    const query = sql`select ${columns} from pet_search as s ${pets} where ${where} ${order}`
    return runOwnPlan<Row>(db, query.compile(db))
  }
  if (key && (await countUpTo(db, tokenQuery, MAX_SORTED + 1)) > MAX_SORTED)
    return readInOrder(db, reading, columns, withPet)
  const rows: Row[] = []
  const parts = ids ? [tokenQuery] : partsById(db, tokenQuery, direction, key ? undefined : after?.[1])
  for await (const part of parts) {
    const { where, order } = tail(
      db,
      key ? reading : { ...reading, limit: limit - rows.length },
      key ? sql`s.pet_id` : sql`pet_tokens.rowid`,
    )
    const query = sql`select ${columns} from pet_tokens cross join pet_search as s on s.pet_id = pet_tokens.rowid
      ${pets} where ${fitsOf(part)} and ${where} ${order}`
    rows.push(...(await runOwnPlan<Row>(db, query.compile(db))))
    if (!key && rows.length >= limit) break
  }
  return key ? rows.sort(byKey(direction)).slice(0, limit) : rows
}

function byKey(direction: Direction): (one: KeyedRow, other: KeyedRow) => number {
  const sign = direction === 'asc' ? 1 : -1
  return ({ sortKey: one = 0, id }, { sortKey: other = 0, id: otherId }) => {
    const order = typeof one === 'string' ? compareBytes(one, String(other)) : Number(one) - Number(other)
    return sign * (order || Number(id) - Number(otherId))
  }
}

/**
 * Splits a query into queries for consecutive ids. For common tokens that rarely occur together, FTS5
 * examines every animal, and other requests wait for the statement.
 * @param after only ids after this one, in the direction
 */
async function* partsById(
  db: Db,
  tokenQuery: TokenQuery,
  direction: Direction,
  after?: number,
): AsyncGenerator<TokenQuery> {
  if (tokenQuery.clauses.length < MIN_SPLIT_CLAUSES) {
    yield tokenQuery
    return
  }
  // SQLite reads only one entry of the index for each of two queries, but all entries for a query of both.
  const bounds = sql<never>`select
    (select min(pet_id) from pet_search) as least, (select max(pet_id) from pet_search) as greatest`
  const [row] = await dialectOf(db).run<{ least: number | null; greatest: number }>(db, bounds.compile(db))
  if (row?.least == null) return
  const isUp = direction === 'asc'
  const [first, last] = isUp ? [row.least, row.greatest] : [row.greatest, row.least]
  const step = isUp ? 1 : -1
  for (let block = idBlock(after ?? first); step * (idBlock(last) - block) >= 0; block += step) {
    yield { ...tokenQuery, clauses: [{ tokens: [token(ID_BLOCK, block)] }, ...tokenQuery.clauses] }
    await yieldToEventLoop()
  }
}

/** Goes through the animals in the order of the key, and lets other requests run between statements. */
async function readInOrder<Row extends KeyedRow>(
  db: Db,
  reading: Reading,
  columns: Sql,
  withPet: boolean,
): Promise<Row[]> {
  const { runOwnPlan } = dialectOf(db)
  const column = sql.ref(`s.${reading.key}`)
  const upTo = reading.direction === 'asc' ? sql`<=` : sql`>=`
  const fits = sql`exists (select 1 from pet_tokens where ${fitsOf(reading.tokenQuery)} and rowid = s.pet_id)`
  const rows: Row[] = []
  for (let { after } = reading; ; ) {
    const next = tail(db, { ...reading, after, limit: MAX_TESTED }, sql`s.pet_id`)
    const position = sql`${column} as key, s.pet_id as id`
    const tested = sql`select ${position} from pet_search as s where ${next.where} ${next.order}`
    const positions = await runOwnPlan<{ key: string | number; id: number }>(db, tested.compile(db))
    const last = positions.length < MAX_TESTED ? undefined : positions.at(-1)
    const until = last
      ? sql`(${column}, s.pet_id) ${upTo} (${last.key}, cast(${last.id} as bigint))`
      : sql`true`
    const { where, order } = tail(
      db,
      { ...reading, after, limit: reading.limit - rows.length },
      sql`s.pet_id`,
    )
    const query = sql`select ${columns} from pet_search as s ${petOf(withPet)}
      where ${where} and ${until} and ${fits} ${order}`
    rows.push(...(await runOwnPlan<Row>(db, query.compile(db))))
    if (!last || rows.length >= reading.limit) return rows
    after = [last.key, last.id]
    await yieldToEventLoop()
  }
}

/** @returns the parts of a statement that searches for tokens */
async function source(db: Db, tokenQuery: TokenQuery): Promise<Record<'from' | 'fits' | 'join', Sql>> {
  if (dialectOf(db).engine === 'sqlite')
    return {
      from: sql`pet_tokens`,
      fits: fitsOf(tokenQuery),
      join: sql`cross join pet_search as s on s.pet_id = pet_tokens.rowid`,
    }
  const fits = (await rareFitsInPostgres(db, tokenQuery)) ?? fitsInPostgres(tokenQuery)
  return { from: sql`pet_search as s`, fits, join: sql`` }
}

/** Counts matching animals, up to `max`. */
export async function countUpTo(db: Db, tokenQuery: TokenQuery, max: number): Promise<number> {
  const { runOwnPlan } = dialectOf(db)
  let count = 0
  for await (const part of partsToCount(db, tokenQuery)) {
    const { from, fits } = await source(db, part)
    const query = sql`
      select count(*) as count from (select 1 from ${from} where ${fits} limit ${max - count}) as found`
    const [row] = await runOwnPlan<{ count: number }>(db, query.compile(db))
    count += Number(row?.count)
    if (count >= max) break
  }
  return count
}

/** Counts matching animals by place. */
export async function countByPlace(db: Db, tokenQuery: TokenQuery): Promise<Map<string | null, number>> {
  const { runOwnPlan } = dialectOf(db)
  const counts = new Map<string | null, number>()
  for await (const part of partsToCount(db, tokenQuery)) {
    const { from, fits, join } = await source(db, part)
    const query = sql`select s.place, count(*) as count from ${from} ${join} where ${fits} group by s.place`
    const rows = await runOwnPlan<{ place: string | null; count: number }>(db, query.compile(db))
    for (const { place, count } of rows) counts.set(place, (counts.get(place) ?? 0) + Number(count))
  }
  return counts
}

/** PostgreSQL counts all animals at once, because no other request waits for it. */
async function* partsToCount(db: Db, tokenQuery: TokenQuery): AsyncGenerator<TokenQuery> {
  if (dialectOf(db).engine === 'sqlite') yield* partsById(db, tokenQuery, 'asc')
  else yield tokenQuery
}
