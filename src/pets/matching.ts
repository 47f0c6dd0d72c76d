import { type RawBuilder, sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { readInTime } from '../db/in-time.ts'
import { inList, listOf } from '../db/list-parameter.ts'
import type { Db } from '../db/tables.ts'
import type { Question } from '../search/question.ts'
import { expressionOf } from './expression.ts'

// What the engines are asked: FTS5 of SQLite, and the GIN index of PostgreSQL.

/** Columns of pet_search by which animals are sorted. */
export type Key = 'name' | 'published' | 'age'
export type Direction = 'asc' | 'desc'

/** Of animals that fit, in an order, behind a place in it. */
export interface Reading {
  question: Question
  /** Absent for the order of ids. */
  key?: Key | undefined
  direction: Direction
  /** The key, where there is one, and the id of the last animal that is not read again. */
  behind?: readonly [key: string | number, id: number] | undefined
  limit: number
  /** Of these alone. */
  ids?: number[] | undefined
  /** Whether it is known that few animals fit. */
  isRare?: boolean | undefined
}

type Sql = RawBuilder<unknown>

/** Up to so many matches are all read and sorted; of more each animal of an order is tested. */
const MAX_SORTED = 5_000

/**
 * What is read of animals that fit, in order.
 *
 * @param columns of `pet`, and of `pet_search` as `s`
 */
export function readMatching<Row extends unknown[]>(db: Db, reading: Reading, columns: Sql): Promise<Row[]> {
  const { engine, run } = dialectOf(db)
  const read = async (inside: Db, otherPlan: boolean): Promise<Row[]> => {
    const query =
      engine === 'sqlite'
        ? await ofSqlite(inside, reading, columns)
        : ofPostgres(inside, reading, columns, otherPlan)
    return run<Row>(inside, query.compile(inside))
  }
  return readInTime(db, read, reading.isRare ? 0 : undefined)
}

/** In the order of a reading, behind its place. @param id what has the id */
function tail(db: Db, { key, direction, behind, limit, ids }: Reading, id: Sql): { where: Sql; order: Sql } {
  const [way, compare] = direction === 'asc' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  // FTS5 passes over what is behind a whole number alone, and not a real one.
  const [at, behindId] = behind ? [behind[0], BigInt(behind[1])] : [undefined, undefined]
  if (!key) {
    const named = ids ? sql`${id} in ${inList(db, listOf(db, ids), 'bigint')}` : sql`true`
    const where = behind ? sql`${named} and ${id} ${compare} ${behindId}` : named
    return { where, order: sql`order by ${id} ${way} limit ${limit}` }
  }
  const column = sql.ref(`s.${key}`)
  const where = behind ? sql`(${column}, s.pet_id) ${compare} (${at}, ${behindId})` : sql`true`
  return { where, order: sql`order by ${column} ${way}, s.pet_id ${way} limit ${limit}` }
}

async function ofSqlite(db: Db, reading: Reading, columns: Sql): Promise<Sql> {
  const { question, key } = reading
  const all = isAll(question)
  const fits = sql`pet_tokens match ${expressionOf('sqlite', question)}`
  const { where, order } = tail(db, reading, key || all ? sql`s.pet_id` : sql`pet_tokens.rowid`)
  if (all || (key && (await countUpTo(db, question, MAX_SORTED + 1)) > MAX_SORTED)) {
    const test = all ? sql`true` : sql`exists (select 1 from pet_tokens where ${fits} and rowid = s.pet_id)`
    return sql`select ${columns} from pet_search as s cross join pet on pet.id = s.pet_id
      where ${where} and ${test} ${order}`
  }
  return sql`select ${columns} from pet_tokens cross join pet_search as s on s.pet_id = pet_tokens.rowid
    cross join pet on pet.id = pet_tokens.rowid where ${fits} and ${where} ${order}`
}

function ofPostgres(db: Db, reading: Reading, columns: Sql, otherPlan: boolean): Sql {
  const { question } = reading
  const { where, order } = tail(db, reading, sql`s.pet_id`)
  const fits = isAll(question) ? sql`true` : sql`s.tokens @@ ${expressionOf('postgres', question)}::tsquery`
  // What is materialized is read by the index of the tokens.
  return otherPlan
    ? sql`with found as materialized (select s.pet_id, s.name, s.published, s.age, s.place from pet_search s where ${fits})
      select ${columns} from found as s join pet on pet.id = s.pet_id where ${where} ${order}`
    : sql`select ${columns} from pet_search as s join pet on pet.id = s.pet_id
      where ${fits} and ${where} ${order}`
}

const isAll = ({ clauses, without }: Question): boolean => clauses.length === 0 && !without

/** For so long PostgreSQL may follow its own plan for many animals. */
const MANY_MS = 400

/** The newest animals that fit. */
export async function newestMatching(db: Db, question: Question, limit: number): Promise<number[]> {
  const { engine, run } = dialectOf(db)
  const { from, fits, id } = source(engine, question)
  const read = (inside: Db, otherPlan: boolean): Promise<[number][]> => {
    // The planner then takes the index of the tokens.
    const order = otherPlan ? sql`${id} + 0` : id
    const query = sql`select ${id} from ${from} where ${fits} order by ${order} desc limit ${limit}`
    return run<[number]>(inside, query.compile(inside))
  }
  const rows = await readInTime(db, read, MANY_MS)
  return rows.map(([one]) => one)
}

/** Where the tokens of a question are looked for. */
function source(engine: 'sqlite' | 'postgres', question: Question): Record<'from' | 'fits' | 'id', Sql> {
  const expression = expressionOf(engine, question)
  if (engine === 'sqlite')
    return { from: sql`pet_tokens`, fits: sql`pet_tokens match ${expression}`, id: sql`pet_tokens.rowid` }
  const fits = isAll(question) ? sql`true` : sql`s.tokens @@ ${expression}::tsquery`
  return { from: sql`pet_search as s`, fits, id: sql`s.pet_id` }
}

/** How many animals fit, as far as a number. */
export async function countUpTo(db: Db, question: Question, most: number): Promise<number> {
  const { engine, run } = dialectOf(db)
  const { from, fits } = source(engine, question)
  const query = sql`select count(*) from (select 1 from ${from} where ${fits} limit ${most}) as found`
  const [[count] = [0]] = await readInTime(db, (inside) => run<[number]>(inside, query.compile(inside)))
  return Number(count)
}

/** How many animals that fit are at each place. */
export async function countByPlace(
  db: Db,
  question: Question,
): Promise<[place: string | null, count: number][]> {
  const { engine, run } = dialectOf(db)
  const { from, fits, id } = source(engine, question)
  const join = engine === 'sqlite' ? sql`cross join pet_search as s on s.pet_id = ${id}` : sql``
  const query = sql`select s.place, count(*) as count from ${from} ${join} where ${fits} group by s.place`
  return readInTime(db, (inside) => run(inside, query.compile(inside)))
}
