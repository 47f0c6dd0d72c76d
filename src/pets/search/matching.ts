import { type RawBuilder, sql } from 'kysely'
import { dialectOf } from '../../db/dialect.ts'
import { readInTime } from '../../db/in-time.ts'
import { inList, listOf } from '../../db/list-parameter.ts'
import type { Db } from '../../db/tables.ts'
import { expressionOf, type Question } from './question.ts'

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
  /** How long PostgreSQL may follow its own plan, in milliseconds. */
  firstPlanMs?: number | undefined
}

type Sql = RawBuilder<unknown>

/** Up to so many matches are all read and sorted; of more each animal of an order is tested. */
const MAX_SORTED = 5_000

/**
 * Reads animals that fit, in order.
 *
 * @param columns of `pet_search` as `s`, and of `pet`
 */
export const readMatching = <Row extends object>(db: Db, reading: Reading, columns: Sql): Promise<Row[]> =>
  read(db, reading, columns, true)

/** The same of `pet_search` alone, which takes less time. */
export const readKeys = <Row extends object>(db: Db, reading: Reading, columns: Sql): Promise<Row[]> =>
  read(db, reading, columns, false)

function read<Row extends object>(db: Db, reading: Reading, columns: Sql, withPet: boolean): Promise<Row[]> {
  const { engine, runOwnPlan } = dialectOf(db)
  const readBy = async (inside: Db, otherPlan: boolean): Promise<Row[]> => {
    const query =
      engine === 'sqlite'
        ? await ofSqlite(inside, reading, columns, withPet)
        : ofPostgres(inside, reading, columns, withPet, otherPlan)
    return runOwnPlan<Row>(inside, query.compile(inside))
  }
  return readInTime(db, readBy, reading.isRare ? 0 : reading.firstPlanMs)
}

/** In the order of a reading, behind its place. @param id what has the id */
function tail(db: Db, { key, direction, behind, limit, ids }: Reading, id: Sql): { where: Sql; order: Sql } {
  const [way, compare] = direction === 'asc' ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  // Node binds a number as a real one, and FTS5 skips only what is behind an integer.
  const [at, behindId] = behind ? [behind[0], sql`cast(${behind[1]} as bigint)`] : [undefined, undefined]
  if (!key) {
    const named = ids ? sql`${id} in ${inList(db, listOf(db, ids), 'bigint')}` : sql`true`
    const where = behind ? sql`${named} and ${id} ${compare} ${behindId}` : named
    return { where, order: sql`order by ${id} ${way} limit ${limit}` }
  }
  const column = sql.ref(`s.${key}`)
  const where = behind ? sql`(${column}, s.pet_id) ${compare} (${at}, ${behindId})` : sql`true`
  return { where, order: sql`order by ${column} ${way}, s.pet_id ${way} limit ${limit}` }
}

async function ofSqlite(db: Db, reading: Reading, columns: Sql, withPet: boolean): Promise<Sql> {
  // SQLite joins in this order.
  const join = withPet ? sql`cross join pet on pet.id = s.pet_id` : sql``
  const { question, key } = reading
  const all = isAll(question)
  const fits = sql`pet_tokens match ${expressionOf('sqlite', question)}`
  const { where, order } = tail(db, reading, key || all ? sql`s.pet_id` : sql`pet_tokens.rowid`)
  if (all || (key && (await countUpTo(db, question, MAX_SORTED + 1)) > MAX_SORTED)) {
    const test = all ? sql`true` : sql`exists (select 1 from pet_tokens where ${fits} and rowid = s.pet_id)`
    return sql`select ${columns} from pet_search as s ${join} where ${where} and ${test} ${order}`
  }
  return sql`select ${columns} from pet_tokens cross join pet_search as s on s.pet_id = pet_tokens.rowid
    ${join} where ${fits} and ${where} ${order}`
}

/** All of `pet_search` but the tokens. */
const KEYS = sql.raw('s.pet_id, s.name, s.published, s.updated, s.age, s.place, s.counted')

function ofPostgres(db: Db, reading: Reading, columns: Sql, withPet: boolean, otherPlan: boolean): Sql {
  const join = withPet ? sql`join pet on pet.id = s.pet_id` : sql``
  const { question } = reading
  const { where, order } = tail(db, reading, sql`s.pet_id`)
  const fits = isAll(question) ? sql`true` : sql`s.tokens @@ ${expressionOf('postgres', question)}::tsquery`
  const inner = sql`select ${KEYS} from pet_search as s where ${fits}`
  // Behind `offset 0` the planner cannot know the order: it finds animals by their tokens, and sorts them.
  const from = otherPlan
    ? sql`(select ${KEYS} from (${inner} offset 0) as s where ${where} ${order})`
    : sql`(${inner} and ${where} ${order})`
  return sql`select ${columns} from ${from} as s ${join} ${order}`
}

const isAll = ({ clauses, without }: Question): boolean => clauses.length === 0 && !without

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
  const { engine, runOwnPlan } = dialectOf(db)
  const { from, fits } = source(engine, question)
  const query = sql`select count(*) as count from (select 1 from ${from} where ${fits} limit ${most}) as found`
  const [row] = await readInTime(db, (inside) => runOwnPlan<{ count: number }>(inside, query.compile(inside)))
  return Number(row?.count)
}

/** How many animals that fit are at each place. */
export async function countByPlace(
  db: Db,
  question: Question,
): Promise<{ place: string | null; count: number }[]> {
  const { engine, runOwnPlan } = dialectOf(db)
  const { from, fits, id } = source(engine, question)
  const join = engine === 'sqlite' ? sql`cross join pet_search as s on s.pet_id = ${id}` : sql``
  const query = sql`select s.place, count(*) as count from ${from} ${join} where ${fits} group by s.place`
  return readInTime(db, (inside) => runOwnPlan(inside, query.compile(inside)))
}
