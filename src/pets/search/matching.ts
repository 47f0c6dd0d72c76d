import { type RawBuilder, sql } from 'kysely'
import { dialectOf, inList, listParameter, readWithFallbackPlan } from '../../db/dialect.ts'
import type { Db } from '../../db/tables.ts'
import { yieldToEventLoop } from '../../http/turns.ts'
import { compareBytes } from '../../search/words.ts'
import { STORED_COLUMNS, type StoredRow } from '../row.ts'
import { ANY_TOKEN, ID_BLOCK, idBlock, token } from './tokens.ts'

// Queries the search index, which is FTS5 in SQLite and GIN in PostgreSQL.

/** Alternatives. An animal must have one of the tokens, or a token that begins with one of the prefixes. */
export interface Clause {
  tokens: string[]
  prefixes?: string[]
  /** The places of all animals that match. PostgreSQL finds the animals by these places, not by tokens. */
  places?: string[]
}

/** An animal must match every clause in `clauses`, and no clause in `without`. */
export interface TokenQuery {
  clauses: Clause[]
  without?: Clause[] | undefined
}

/** Columns of `pet_search` that can sort animals. */
export type Key = 'name' | 'published' | 'age' | 'number' | 'kennel' | 'intake'
export type Direction = 'asc' | 'desc'

/** Selects matching animals in a given order, after a given position. */
export interface Reading {
  tokenQuery: TokenQuery
  /** The sort column. Absent to sort by id. */
  key?: Key | undefined
  direction: Direction
  /** The position to start after: the sort key and the id of the last animal that was read. */
  after?: readonly [key: string | number, id: number] | undefined
  limit: number
  /** Limits the result to these ids. */
  ids?: number[] | undefined
  /** True if few animals match. */
  isRare?: boolean | undefined
}

/**
 * The position of an animal in an order: its sort key and id. In an order by id, the key is the number of the
 * part (see `find.ts`).
 */
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

/** A row as `read` sorts it. */
interface KeyedRow {
  id: number
  sortKey?: string | number
}

export const toCandidate = (key: string | number, row: CandidateRow): Candidate => ({
  position: [key, row.id],
  place: row.placeToken,
  row,
})

type Sql = RawBuilder<unknown>

const SHOWN = STORED_COLUMNS.map((column) => {
  const [name = '', as = name] = column.split(' as ')
  return sql`pet.${sql.raw(name)} as ${sql.raw(`"${as}"`)}`
})

/**
 * SQLite reads and sorts up to this many matches. If there are more, it goes through the animals in the order
 * of the key and tests each one.
 */
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
  const { engine, runOwnPlan } = dialectOf(db)
  if (engine === 'sqlite') return readFromSqlite(db, reading, columns, withPet)
  const readBy = (inside: Db, otherPlan: boolean): Promise<Row[]> =>
    runOwnPlan<Row>(inside, ofPostgres(inside, reading, columns, withPet, otherPlan).compile(inside))
  return reading.isRare ? readBy(db, true) : readWithFallbackPlan(db, readBy)
}

/** Builds the conditions and the order of a query. @param id the column with the id */
function tail(db: Db, { key, direction, after, limit, ids }: Reading, id: Sql): { where: Sql; order: Sql } {
  const [way, compare] = direction === 'asc' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  // Converts the id to an integer. Node binds numbers as reals, but FTS5 needs an integer to seek by rowid.
  const [at, afterId] = after ? [after[0], sql`cast(${after[1]} as bigint)`] : [undefined, undefined]
  if (!key) {
    const named = ids ? sql`${id} in ${inList(db, listParameter(db, ids), 'bigint')}` : sql`true`
    const where = after ? sql`${named} and ${id} ${compare} ${afterId}` : named
    return { where, order: sql`order by ${id} ${way} limit ${limit}` }
  }
  const column = sql.ref(`s.${key}`)
  const where = after ? sql`(${column}, s.pet_id) ${compare} (${at}, ${afterId})` : sql`true`
  return { where, order: sql`order by ${column} ${way}, s.pet_id ${way} limit ${limit}` }
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
 *
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

/** All columns of `pet_search` except the tokens. */
const KEYS = sql.raw(
  's.pet_id, s.name, s.published, s.updated, s.age, s.place, s.counted, s.number, s.kennel, s.intake',
)

function ofPostgres(db: Db, reading: Reading, columns: Sql, withPet: boolean, otherPlan: boolean): Sql {
  const join = withPet ? sql`join pet on pet.id = s.pet_id` : sql``
  const { tokenQuery } = reading
  const { where, order } = tail(db, reading, sql`s.pet_id`)
  const fits = fitsInPostgres(tokenQuery)
  // `offset 0` hides the order from the planner. The planner then finds animals by their tokens or places, and
  // sorts only their keys.
  const sortKey = reading.key ? sql`, s.${sql.ref(reading.key)}` : sql``
  const ids = sql`
    select s.pet_id from (select s.pet_id${sortKey} from pet_search as s where ${fits} offset 0) as s
    where ${where} ${order}`
  const from = otherPlan
    ? sql`(select ${KEYS} from pet_search as s where s.pet_id = any(array(${ids})))`
    : sql`(select ${KEYS} from pet_search as s where ${fits} and ${where} ${order})`
  return sql`select ${columns} from ${from} as s ${join} ${order}`
}

const isAll = ({ clauses, without }: TokenQuery): boolean => clauses.length === 0 && !without

function fitsInPostgres({ clauses, without }: TokenQuery): Sql {
  const conditions = clauses.flatMap(({ places }) => (places ? [sql`s.place = any(${places}::text[])`] : []))
  const others = { clauses: clauses.filter(({ places }) => !places), without }
  if (!isAll(others)) conditions.push(sql`s.tokens @@ ${expressionOf('postgres', others)}::tsquery`)
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`
}

/** @returns the parts of a statement that searches for tokens */
function source(db: Db, tokenQuery: TokenQuery): Record<'from' | 'fits' | 'join', Sql> {
  const { engine } = dialectOf(db)
  if (engine === 'sqlite')
    return {
      from: sql`pet_tokens`,
      fits: fitsOf(tokenQuery),
      join: sql`cross join pet_search as s on s.pet_id = pet_tokens.rowid`,
    }
  return { from: sql`pet_search as s`, fits: fitsInPostgres(tokenQuery), join: sql`` }
}

/** Counts matching animals, up to `max`. */
export async function countUpTo(db: Db, tokenQuery: TokenQuery, max: number): Promise<number> {
  const { runOwnPlan } = dialectOf(db)
  let count = 0
  for await (const part of partsToCount(db, tokenQuery)) {
    const { from, fits } = source(db, part)
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
    const { from, fits, join } = source(db, part)
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

// Writes token queries in the syntax of FTS5 and of tsquery.

interface Syntax {
  token(text: string): string
  prefix(text: string): string
  or: string
  and: string
  not: string
}

const inQuotes = (text: string, quote: string): string =>
  `${quote}${text.replaceAll(quote, quote + quote)}${quote}`
/** Doubles backslashes, as a tsquery requires. */
const lexeme = (text: string): string => inQuotes(text.replaceAll('\\', '\\\\'), "'")

const SYNTAX: Record<'sqlite' | 'postgres', Syntax> = {
  sqlite: {
    token: (text) => inQuotes(text, '"'),
    prefix: (text) => `${inQuotes(text, '"')}*`,
    or: ' OR ',
    and: ' AND ',
    not: ' NOT ',
  },
  postgres: { token: lexeme, prefix: (text) => `${lexeme(text)}:*`, or: '|', and: '&', not: '&!' },
}

/** A token that no animal has. */
const NO_TOKEN = 'none'

function expressionOf(engine: 'sqlite' | 'postgres', { clauses, without }: TokenQuery): string {
  const { token, prefix, or, and, not } = SYNTAX[engine]
  const anyOf = ({ tokens, prefixes = [] }: Clause): string => {
    const words = [...new Set(tokens)].map(token)
    for (const one of prefixes) words.push(prefix(one))
    return `(${words.join(or) || token(NO_TOKEN)})`
  }
  const allOf = (some: Clause[]): string => some.map(anyOf).join(and) || token(ANY_TOKEN)
  return without ? `(${allOf(clauses)})${not}(${allOf(without)})` : allOf(clauses)
}
