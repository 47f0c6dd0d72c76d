import { sql } from 'kysely'
import { dialectOf, readWithFallbackPlan } from '../../db/dialect.ts'
import type { Db } from '../../db/tables.ts'
import {
  type Clause,
  expressionOf,
  isAll,
  type KeyedRow,
  type Reading,
  type Sql,
  type TokenQuery,
  tail,
} from './tokens.ts'

// Reads the search index of PostgreSQL.

/** How long a list is used. PostgreSQL analyzes a table again only after many changes. */
const MAX_AGE_MS = 60_000

const lists = new WeakMap<Db, { tokens: ReadonlySet<string>; readAt: number }>()

/**
 * Reads the tokens that most animals have, about a thousand, from the statistics of PostgreSQL's planner. An
 * animal has some hundred tokens, so any other token belongs to at most about one animal in a hundred.
 * @returns no tokens if PostgreSQL has not analyzed the table yet
 */
async function readCommonTokens(db: Db): Promise<ReadonlySet<string>> {
  const list = lists.get(db)
  if (list && performance.now() - list.readAt < MAX_AGE_MS) return list.tokens
  const { rows } = await sql<{ token: string }>`
    select unnest(most_common_elems::text::text[]) as token from pg_stats
    where schemaname = current_schema() and tablename = 'pet_search' and attname = 'tokens'
  `.execute(db)
  const tokens = new Set(rows.map(({ token }) => token))
  lists.set(db, { tokens, readAt: performance.now() })
  return tokens
}

/** All columns of `pet_search` except the tokens. */
const KEYS = sql.raw(
  's.pet_id, s.name, s.published, s.updated, s.age, s.place, s.counted, s.number, s.kennel, s.intake',
)

/** How long PostgreSQL may use its own plan to read animals for a page, or columns of many animals. */
const [PAGE_PLAN_MS, KEYS_PLAN_MS] = [50, 100]
/** Not the indexed column, so PostgreSQL tests each animal instead of using the index. */
const TOKENS_WITHOUT_INDEX = sql`(s.tokens || '')`

/** If fewer animals have the rarest tokens, or are in the places, testing all of them is fast. */
const [MAX_FEW, MAX_FEW_IN_PLACES] = [1_000, 10_000]
/** A clause with more alternatives may match many animals even if each token is rare. */
const MAX_RARE_ALTERNATIVES = 4

/**
 * Reads animals in one of two ways. If few animals can match, finds them by their rarest tokens, and sorts
 * them. Otherwise PostgreSQL chooses its own plan, and often goes through the animals in the given order.
 */
export async function readFromPostgres<Row extends KeyedRow>(
  db: Db,
  reading: Reading,
  columns: Sql,
  withPet: boolean,
): Promise<Row[]> {
  const { runOwnPlan } = dialectOf(db)
  const readBy = (inside: Db, fits: Sql, tokensFirst: boolean): Promise<Row[]> =>
    runOwnPlan<Row>(
      inside,
      statementOf(inside, reading, columns, { fits, withPet, tokensFirst }).compile(inside),
    )
  if (reading.ids) return readBy(db, fitsInPostgres(reading.tokenQuery, TOKENS_WITHOUT_INDEX), false)
  const few = await rareFitsInPostgres(db, reading.tokenQuery)
  const fits = few ?? fitsInPostgres(reading.tokenQuery)
  return few || reading.isRare
    ? readBy(db, fits, true)
    : readWithFallbackPlan(db, withPet ? PAGE_PLAN_MS : KEYS_PLAN_MS, (inside, tokensFirst) =>
        readBy(inside, fits, tokensFirst),
      )
}

/**
 * Finds out whether few animals are in the places of a query or, without places, have its rare tokens. The
 * condition tests everything else for each of these animals: for the beginning of a word, GIN would read all
 * words with this beginning.
 * @returns undefined if more animals than `MAX_FEW` or `MAX_FEW_IN_PLACES` allows may match
 */
export async function rareFitsInPostgres(db: Db, { clauses, without }: TokenQuery): Promise<Sql | undefined> {
  const common = await readCommonTokens(db)
  const isRare = ({ tokens, prefixes = [] }: Clause): boolean =>
    tokens.length <= MAX_RARE_ALTERNATIVES && tokens.every((one) => !common.has(one)) && prefixes.length === 0
  const inPlaces = clauses.filter(({ places }) => places)
  const rare = inPlaces.length > 0 ? inPlaces : clauses.filter(isRare)
  if (common.size === 0 || rare.length === 0) return undefined
  const max = inPlaces.length > 0 ? MAX_FEW_IN_PLACES : MAX_FEW
  const query = sql`select count(*) as count
    from (select 1 from pet_search as s where ${fitsInPostgres({ clauses: rare })} limit ${max}) as found`
  const [row] = await dialectOf(db).runOwnPlan<{ count: number }>(db, query.compile(db))
  if (Number(row?.count) === max) return undefined
  const others = { clauses: clauses.filter((clause) => !rare.includes(clause)), without }
  return isAll(others)
    ? fitsInPostgres({ clauses: rare })
    : sql`${fitsInPostgres({ clauses: rare })} and ${fitsInPostgres(others, TOKENS_WITHOUT_INDEX)}`
}

interface Plan {
  /** The condition for matching animals. */
  fits: Sql
  withPet: boolean
  /** Whether to find all matches by their tokens, and then sort them. */
  tokensFirst: boolean
}

function statementOf(db: Db, reading: Reading, columns: Sql, { fits, withPet, tokensFirst }: Plan): Sql {
  const join = withPet ? sql`join pet on pet.id = s.pet_id` : sql``
  const { where, order } = tail(db, reading, sql`s.pet_id`)
  // `offset 0` hides the order from the planner, which then finds animals first, and sorts only their keys.
  const sortKey = reading.key ? sql`, s.${sql.ref(reading.key)}` : sql``
  const ids = sql`
    select s.pet_id from (select s.pet_id${sortKey} from pet_search as s where ${fits} offset 0) as s
    where ${where} ${order}`
  const from = tokensFirst
    ? sql`(select ${KEYS} from pet_search as s where s.pet_id = any(array(${ids})))`
    : sql`(select ${KEYS} from pet_search as s where ${fits} and ${where} ${order})`
  return sql`select ${columns} from ${from} as s ${join} ${order}`
}

/** @param tokens the indexed column, or an expression of it if PostgreSQL shall not use the index */
export function fitsInPostgres({ clauses, without }: TokenQuery, tokens = sql`s.tokens`): Sql {
  const conditions = clauses.flatMap(({ places }) => (places ? [sql`s.place = any(${places}::text[])`] : []))
  const others = { clauses: clauses.filter(({ places }) => !places), without }
  if (!isAll(others)) conditions.push(sql`${tokens} @@ ${expressionOf('postgres', others)}::tsquery`)
  return conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`
}
