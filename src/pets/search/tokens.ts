import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { inList, listParameter } from '../../db/dialect.ts'
import type { Db } from '../../db/tables.ts'
import { latitudesAround, type Point } from '../../places/distance.ts'
import { fold } from '../../search/words.ts'

// The tokens by which searches find animals, and queries of tokens. entry.ts has the tokens of an animal.

/** The maximum length of a shelter ID, kennel or microchip in a token. */
export const MAX_NUMBER_LENGTH = 100
export const WORDS = /[\p{L}\p{M}\p{N}]+/gu

/** Removes case, accents, spaces and punctuation, so all spellings of a number are equal. */
export const bareNumber = (text: string): string =>
  (fold(text).match(WORDS) ?? []).join('').slice(0, MAX_NUMBER_LENGTH)

/*
 * Searches find animals by tokens. A token is the name of a filter and a value, such as `species:dog`, or a
 * word of a text, such as `w:calm`. Tokens come from public members only, so a search cannot reveal private
 * members. The exception is the filter NUMBER, which only queries of staff use.
 */

/** The filters with a yes-or-no value, and the member that each filter tests. */
export const TRAIT_FILTERS = {
  goodWithChildren: ['goodWith', 'children'],
  goodWithDogs: ['goodWith', 'dogs'],
  goodWithCats: ['goodWith', 'cats'],
  spayedNeutered: ['traits', 'spayedNeutered'],
  houseTrained: ['traits', 'houseTrained'],
  declawed: ['traits', 'declawed'],
  specialNeeds: ['traits', 'specialNeeds'],
  vaccinated: ['traits', 'vaccinated'],
} as const

export type DateFilter = 'born' | 'published' | 'updated'

/** Maximum length of a value. PostgreSQL allows 2,046 bytes, and folding can make a text 18 times as long. */
const MAX_LENGTH = 100
// biome-ignore lint/suspicious/noControlCharactersInRegex: these separate tokens
const CONTROLS = /[\0-\x1f]/

export const token = (filter: string, value: unknown): string => `${filter}:${value}`

/** @returns the token of a text. The comparison ignores case and accents */
export function textToken(filter: string, value: string): string {
  const folded = fold(value)
  const isPlain = folded.length <= MAX_LENGTH && !CONTROLS.test(folded)
  return token(filter, isPlain ? folded : `sha256 ${hash('sha256', folded)}`)
}

/** A token that every animal has. */
export const ANY_TOKEN = 'any'
/** The filter for consecutive ids. SQLite searches one block of ids at a time (see `partsById`). */
export const ID_BLOCK = 'block'
const IDS_PER_BLOCK = 250_000
export const idBlock = (id: number): number => Math.floor(id / IDS_PER_BLOCK)
/** The filter for words in any text. */
export const WORD = 'w'
/** The filter for words in the name. */
export const NAME_WORD = 'n'
/** The token of animals without an organization. */
export const NO_ORGANIZATION = 'ofNobody:true'
/** The token of animals without a status, and of animals that have left other than by adoption. */
export const [NO_STATUS, LEFT] = ['unlisted:true', 'left:true']
/** The filter for shelter IDs, kennels and microchips. */
export const NUMBER = 'number'
/** The filter for the coordinates of the animal itself. */
export const AT = 'at'
/** The filter for the organization whose location applies to an animal without a location. */
export const AT_ORGANIZATION = 'atOrganization'

export const atOrganization = (id: unknown): string => token(AT_ORGANIZATION, id)

export const DAY_MS = 86_400_000

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The lengths of the year, the month and the day at the start of a date. */
export const DATE_LENGTHS = [4, 7, 10]

/**
 * Describes a range of days with few tokens: years, months and days.
 * @param from a time on the first day, in Unix milliseconds
 * @param to a time on the last day
 * @returns an empty list if the last day is before the first
 */
export function daysBetween(from: number, to: number): string[] {
  const found: string[] = []
  for (let at = Math.floor(from / DAY_MS) * DAY_MS; at <= to; ) {
    const day = dayOf(at)
    const [length, next] = DATE_LENGTHS.map((length): [number, number] => [length, endOf(day, length)]).find(
      ([length, next]) => startsAt(day, length) && next - DAY_MS <= to,
    ) ?? [10, at + DAY_MS]
    found.push(day.slice(0, length))
    at = next
  }
  return found
}

/** @returns whether the date is the first day of a year or month, by `length`; always true for length 10 */
function startsAt(day: string, length: number): boolean {
  return day.slice(length) === '-01-01'.slice(length - 4)
}

/** @returns the start of the next year, month or day, depending on `length` */
function endOf(day: string, length: number): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  if (length === 4) return Date.UTC(year + 1, 0, 1)
  return length === 7 ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, date + 1)
}

// The search index stores the place of an animal as one cell in each of three grids. Cells are 0.1, 1 and 2
// degrees wide. A search near a point reads a few cells, then computes the exact distance of each animal in
// them.

/** Cells per degree, the finest grid first. */
const GRIDS = { cell: 10, area: 1, zone: 0.5 } as const
type Grid = keyof typeof GRIDS

const tokenOf = (grid: Grid, latitude: number, longitude: number): string =>
  `${grid}:${latitude},${longitude}`

export function cellsOf(point: Partial<Point> | undefined): string[] {
  const { latitude, longitude } = point ?? {}
  if (latitude === undefined || longitude === undefined) return []
  return (Object.keys(GRIDS) as Grid[]).map((grid) =>
    tokenOf(grid, Math.floor(latitude * GRIDS[grid]), Math.floor(longitude * GRIDS[grid])),
  )
}

/** The maximum number of cells in a search. With more cells, reading every animal would be faster. */
const MAX_CELLS = 60
const METERS_PER_DEGREE = 111_195

/** Returns the cells that cover a circle, on the finest grid with few enough; undefined if none has. */
export function cellsNear(point: Point, meters: number): string[] | undefined {
  for (const grid of Object.keys(GRIDS) as Grid[]) {
    const found = cellsIn(grid, point, meters)
    if (found) return found
  }
  return undefined
}

function cellsIn(grid: Grid, point: Point, meters: number): string[] | undefined {
  const size = GRIDS[grid]
  const [south, north] = latitudesAround(point, meters + 1)
  // The maximum difference between the public and the stored coordinates of an animal, in degrees.
  const rounding = 0.006
  const [first, last] = [Math.floor((south - rounding) * size), Math.floor((north + rounding) * size)]
  const farthest = Math.max(Math.abs(south), Math.abs(north)) + rounding
  // A circle around a pole includes all longitudes.
  if (farthest >= 89) return undefined
  const reach = (meters + 1) / METERS_PER_DEGREE / Math.cos((farthest * Math.PI) / 180) + rounding
  const [west, east] = [
    Math.floor((point.longitude - reach) * size),
    Math.floor((point.longitude + reach) * size),
  ]
  if ((last - first + 1) * (east - west + 1) > MAX_CELLS) return undefined
  const found: string[] = []
  for (let latitude = first; latitude <= last; latitude += 1)
    for (let longitude = west; longitude <= east; longitude += 1)
      found.push(tokenOf(grid, latitude, wrap(longitude, 360 * size)))
  return [...new Set(found)]
}

/** Wraps a cell number around the date line. */
const wrap = (cell: number, cells: number): number =>
  ((((cell + cells / 2) % cells) + cells) % cells) - cells / 2

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

/** A row with its id and sort key, by which searches sort it. */
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
