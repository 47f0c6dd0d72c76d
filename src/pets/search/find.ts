import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { dialectOf, type Visible } from '../../db/dialect.ts'
import { prepared } from '../../db/prepared.ts'
import type { Db } from '../../db/tables.ts'
import { pointOf } from '../../organizations/locate.ts'
import { type OrganizationPlace, organizationPlaces } from '../../organizations/places.ts'
import { takeTurns } from '../../search/turns.ts'
import type { Picked, PickedRow, Show } from '../row.ts'
import type { PetQuery } from '../schema.ts'
import { type Seen, type Shown, toShown } from '../store.ts'
import { type CandidateRow, type Candidates, columnsWith, type Position, toCandidate } from './candidates.ts'
import { type Filters, type Wanted, wantedBy } from './filters.ts'
import { type Direction, type Key, readMatching } from './matching.ts'
import { nearTo } from './near.ts'
import { nearest } from './nearest.ts'
import type { Question } from './question.ts'

// The animals that fit filters of every kind, page by page.

/**
 * What is asked for: by the list of the contract, or by a face that knows more filters. Each bounds what its
 * clients may ask for, and may add to that; how many animals one search looks at is bounded in any case.
 */
export type SearchQuery = PetQuery & Filters

export interface Start {
  query: SearchQuery
  picked?: Picked | undefined
  after?: Position | undefined
  /** So many behind the place are passed over. */
  skip?: number | undefined
}

export interface SearchResult extends Pick<Shown, 'id' | 'etag' | keyof Seen> {
  position: Position
}

export interface Page {
  /** One more than asked for tells that there are more. */
  found: SearchResult[]
  /** From where to go on, where the search ended before there were enough. */
  next?: Position | undefined
  /** How many it did not come to pass over, where it has to go on. */
  left?: number
}

/** So many animals are looked at for one page, of which the tokens do not tell all. */
const MAX_LOOKED_AT = 2_000
/** So many are read at once, but for the first. */
const CHUNK = 256

export async function find(finder: Finder, start: Start, show: Show): Promise<Page> {
  const wanted = await wantedOf(finder, start.query)
  if (start.query.sort !== 'id') return findIn(finder.db, wanted, start, show)
  let page: Page = { found: [] }
  const { found, cutFrom }: Visible<SearchResult> = await dialectOf(finder.db).readVisible(
    finder.db,
    async (db) => {
      page = await findIn(db, wanted, start, show)
      return page.found
    },
  )
  const next = cutFrom === undefined ? page.next : (found.at(-1)?.position ?? start.after ?? [0, 0])
  return { ...page, found, next }
}

async function findIn(db: Db, wanted: Wanted, start: Start, show: Show): Promise<Page> {
  const { query, skip = 0, picked } = start
  const found: SearchResult[] = []
  let [left, lookedAt] = [skip, 0]
  const candidates = candidatesOf(db, wanted, start)
  for (;;) {
    const { done, value: some } = await candidates.next()
    if (done) return { found, next: some, left }
    for (const { position, place, row } of some) {
      lookedAt += 1
      if (
        wanted.isWithin &&
        !wanted.isWithin({ publishedAt: row.publishedAt, updatedAt: row.updatedAt, place })
      )
        continue
      if (left > 0) left -= 1
      else found.push(toFound(row, position, wanted.near?.metersOf.get(place ?? ''), show, picked))
      if (found.length > query.limit) return { found }
    }
    const last = some.at(-1)
    if (last && wanted.isWithin && lookedAt >= MAX_LOOKED_AT) return { found, next: last.position, left }
    await takeTurns()
  }
}

function toFound(
  row: PickedRow,
  position: Position,
  meters: number | undefined,
  show: Show,
  picked: Picked | undefined,
): SearchResult {
  const { id, etag, toJson, toObject } = toShown(row, show, picked)
  if (meters === undefined) return { id, etag, position, toJson, toObject }
  // Also where an animal stays as it is, its organization may move.
  return { id, etag: `${etag} ${meters}`, position, ...withDistance({ toJson, toObject }, meters) }
}

function withDistance({ toJson, toObject }: Seen, distanceMeters: number): Seen {
  return {
    toJson() {
      const json = toJson()
      return `${json.slice(0, -1)}${json === '{}' ? '' : ','}"distanceMeters":${distanceMeters}}`
    },
    toObject: () => ({ ...toObject(), distanceMeters }),
  }
}

const ORDERS: Partial<Record<PetQuery['sort'], [Key, Direction]>> = {
  name: ['name', 'asc'],
  publishedAt: ['published', 'asc'],
  '-publishedAt': ['published', 'desc'],
  age: ['age', 'desc'],
}

function candidatesOf(db: Db, wanted: Wanted, { query, after, skip = 0 }: Start): Candidates {
  const { sort, limit } = query
  const { question, inName, near } = wanted
  if (sort === 'distance' && near) return nearest(db, wanted.anywhere, near, after)
  const first = wanted.isWithin ? CHUNK : limit + 1 + skip
  const [key, direction] = ORDERS[sort] ?? [undefined, sort === 'id' ? 'asc' : 'desc']
  // Those whose name has the words come first: what an earlier part has, a later one has not.
  const parts =
    sort === '-id' && inName ? [withClauses(question, inName), { ...question, without: inName }] : [question]
  const ids = query.id && [...new Set(query.id)]
  return inOrder(db, parts, { key, direction, first, ids }, after)
}

const withClauses = (question: Question, clauses: Question['clauses']): Question => ({
  ...question,
  clauses: [...clauses, ...question.clauses],
})

interface Order {
  key: Key | undefined
  direction: Direction
  /** So many are read first. */
  first: number
  /** Of these alone. */
  ids: number[] | undefined
}

async function* inOrder(
  db: Db,
  parts: Question[],
  { key, direction, first, ids }: Order,
  after: Position | undefined,
): Candidates {
  const firstPart = key === undefined ? Number(after?.[0] ?? 0) : 0
  let behind = after
  let limit = first
  for (let part = firstPart; part < parts.length; part += 1) {
    const question = parts[part] as Question
    for (;;) {
      const reading = { question, key, direction, behind, limit, ids }
      const rows = await readMatching<CandidateRow>(db, reading, columnsWith(key))
      const some = rows.map((row) => toCandidate(key === undefined ? part : row.itsKey, row))
      yield some
      behind = some.at(-1)?.position ?? behind
      if (rows.length < limit) break
      limit = CHUNK
    }
    behind = undefined
  }
  return undefined
}

/** What searches work with: made once for a service. */
export interface Finder {
  db: Db
  organizations(): Promise<OrganizationPlace[]>
  /** Tokens of the animals' own places; the same list as long as there is no new one. */
  places(): Promise<readonly string[]>
}

const opened = new WeakMap<object, Finder>()

/** One for all faces of a service: what it knows of places is kept once. */
export function finderOf(context: Pick<Context, 'db' | 'version'>): Finder {
  const finder = opened.get(context) ?? openFinder(context)
  opened.set(context, finder)
  return finder
}

function openFinder({ db, version }: Pick<Context, 'db' | 'version'>): Finder {
  return { db, organizations: organizationPlaces(db, () => version('pages')), places: placeReader(db) }
}

const countPlaces = prepared<object, { count: number }>((db) =>
  db.selectFrom('search_place').select(sql<number>`count(*)`.as('count')),
)
const readPlaces = prepared<object, { place: string }>((db) => db.selectFrom('search_place').select('place'))

/** Places are only ever added. */
function placeReader(db: Db): Finder['places'] {
  let known: string[] = []
  return async () => {
    const [row] = await countPlaces(db, {})
    if (row?.count !== known.length) known = (await readPlaces(db, {})).map(({ place }) => place)
    return known
  }
}

/** @throws {ApiError} invalid_parameter when `near` names no place */
export async function wantedOf(
  { organizations, places }: Finder,
  filters: Filters & { within: number },
): Promise<Wanted> {
  const { near, within } = filters
  if (near === undefined) return wantedBy(filters, undefined)
  const known = { known: await places(), organizations: await organizations() }
  return wantedBy(filters, await nearTo(await pointOf(near), within * 1_000, known))
}
