import { type RawBuilder, sql } from 'kysely'
import { inList, listParameter } from '../../db/dialect.ts'
import type { Db } from '../../db/tables.ts'
import { ANY_TOKEN } from './tokens.ts'

// Readings of the search index, and the parts of their statements that both engines share.

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

/** A row as `read` sorts it. */
export interface KeyedRow {
  id: number
  sortKey?: string | number
}

export type Sql = RawBuilder<unknown>

export const isAll = ({ clauses, without }: TokenQuery): boolean => clauses.length === 0 && !without

/** Builds the conditions and the order of a query. @param id the column with the id */
export function tail(
  db: Db,
  { key, direction, after, limit, ids }: Reading,
  id: Sql,
): { where: Sql; order: Sql } {
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

export function expressionOf(engine: 'sqlite' | 'postgres', { clauses, without }: TokenQuery): string {
  const { token, prefix, or, and, not } = SYNTAX[engine]
  const anyOf = ({ tokens, prefixes = [] }: Clause): string => {
    const words = [...new Set(tokens)].map(token)
    for (const one of prefixes) words.push(prefix(one))
    return `(${words.join(or) || token(NO_TOKEN)})`
  }
  const allOf = (some: Clause[]): string => some.map(anyOf).join(and) || token(ANY_TOKEN)
  return without ? `(${allOf(clauses)})${not}(${allOf(without)})` : allOf(clauses)
}
