import { dialectOf, type VisibleRows } from '../../db/dialect.ts'
import type { Db } from '../../db/tables.ts'
import { ApiError } from '../../errors.ts'
import type { View } from '../../http/caller.ts'
import { yieldToEventLoop } from '../../http/turns.ts'
import { countWords } from '../../search/words.ts'
import { list, type PageStart } from '../list.ts'
import { type FieldSelection, type PetView, type RenderedPet, type RenderOptions, toPetView } from '../row.ts'
import type { PetQuery } from '../schema.ts'
import { type Criteria, criteriaOf, type Filters, type Finder } from './filters.ts'
import { type Candidate, type Candidates, type Position, readCandidates, toCandidate } from './matching.ts'
import { byDistance } from './nearest.ts'
import { type Direction, type Key, LEFT, NO_STATUS, type TokenQuery, token } from './tokens.ts'

// Finds the animals that match a query, page by page: in the table `pet` if possible, or else by tokens.

/**
 * A query of the native list, or of a face with more filters. Each face limits the filters of its clients.
 * Every search limits how many animals it tests for one page.
 */
export type SearchQuery = Omit<PetQuery, 'sort'> &
  Filters & { sort: PetQuery['sort'] | '-distance' | StaffSort }

/** Orders that only staff use. `intake` lists animals that are longest in care first. */
export type StaffSort = `${'' | '-'}${'name' | 'number' | 'kennel' | 'intake' | 'status'}`

export interface SearchStart {
  query: SearchQuery
  selection?: FieldSelection | undefined
  after?: Position | undefined
  /** The number of matches to skip, counted from the position. */
  skip?: number | undefined
}

export interface SearchResult extends RenderedPet {
  id: number
  etag: string
  position: Position
}

export interface SearchPage {
  /** The animals of the page. Contains one animal more than `limit` if a next page exists. */
  found: SearchResult[]
  /** The position at which to continue, if the search ended before the page was full. */
  next?: Position | undefined
  /** How many matches the continued search must still skip. */
  remainingSkip?: number
}

/** @returns the scope of a cursor, which contains everything that determines the animals and their order */
export function scopeOf(query: SearchQuery, view: View): string {
  const { limit, cursor, fields, ...filters } = query
  const sorted = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? value.map(String).sort() : String(value)])
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
  return JSON.stringify(['pets', view, sorted])
}

/**
 * Finds a page of the native list. With exactly one id, `only` is that animal.
 * @throws {ApiError} invalid_parameter
 */
export async function searchPets(
  finder: Finder,
  start: SearchStart,
  options: RenderOptions,
): Promise<SearchPage & { only?: PetView | undefined }> {
  const plain = plainStart(start)
  if (!plain) {
    requireBounds(start.query)
    return searchByTokens(finder, start, options)
  }
  const { found, cutFrom, only } = await list(finder.db, plain, options)
  const results = found.map((animal) => ({ ...animal, position: [0, animal.id] as const }))
  return { found: results, only, next: cutFrom === undefined ? undefined : lastPositionOf(results, start) }
}

/** @returns a query of the table `pet`; undefined if the search index is needed */
function plainStart({ query, selection, after }: SearchStart): PageStart | undefined {
  const { limit, within, sort, cursor, fields, id, status, categoryId, organizationId, ...others } = query
  if (sort !== 'id' && sort !== '-id') return undefined
  if ([categoryId, organizationId].some((values) => values && values.length > 1)) return undefined
  if (Object.values(others).some((value) => value !== undefined)) return undefined
  return {
    // Sorts the values, so queries that list the same values in another order share a prepared statement.
    ...{ limit, sort, id, status: status && [...new Set(status)].sort() },
    ...{
      categoryId: categoryId?.[0],
      organizationId: organizationId?.[0],
      selection,
      after: after?.[1],
    },
  }
}

const [MAX_FILTERS, MAX_VALUES, MAX_WORDS] = [16, 64, 8]

/** Checks the limits of a query of the native list. @throws {ApiError} invalid_parameter */
export function requireBounds(query: SearchQuery): void {
  const { limit, within, sort, cursor, fields, id, ...filters } = query
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const values = given.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 1), 0)
  const [last = 'sort'] = given.at(-1) ?? []
  if (given.length > MAX_FILTERS) throw invalidParameter(last, `Give at most ${MAX_FILTERS} filters.`)
  if (values > MAX_VALUES)
    throw invalidParameter(last, `Give at most ${MAX_VALUES} values in all filters together.`)
  if (countWords(filters.q ?? '') > MAX_WORDS) throw invalidParameter('q', `Give at most ${MAX_WORDS} words.`)
  if (sort === 'distance' && filters.near === undefined)
    throw invalidParameter('sort', 'Sorting by distance requires `near`. Add it, or choose another order.')
  if (id && !['id', '-id'].includes(sort)) throw invalidParameter('sort', 'With `id`, sort by `id` or `-id`.')
}

function invalidParameter(parameter: string, message: string): ApiError {
  return new ApiError('invalid_parameter', { details: [{ parameter, code: 'invalid_value', message }] })
}

/** @returns where to continue after a page that was cut off */
const lastPositionOf = (found: SearchResult[], { after }: SearchStart): Position =>
  found.at(-1)?.position ?? after ?? [0, 0]

/** Finds a page of animals by tokens. @throws {ApiError} invalid_parameter for an unknown place in `near` */
export async function searchByTokens(
  finder: Finder,
  start: SearchStart,
  options: RenderOptions,
): Promise<SearchPage> {
  const criteria = await criteriaOf(finder, start.query, options.view)
  if (start.query.sort !== 'id') return findIn(finder.db, criteria, start, options)
  let page: SearchPage = { found: [] }
  const { found, cutFrom }: VisibleRows<SearchResult> = await dialectOf(finder.db).readVisible(
    finder.db,
    async (db) => {
      page = await findIn(db, criteria, start, options)
      return page.found
    },
  )
  return { ...page, found, next: cutFrom === undefined ? page.next : lastPositionOf(found, start) }
}

/** The maximum number of animals that are tested for one page. */
const MAX_TESTED = 2_000
/** The number of animals that each query after the first reads. */
const BATCH_SIZE = 256

async function findIn(
  db: Db,
  criteria: Criteria,
  start: SearchStart,
  options: RenderOptions,
): Promise<SearchPage> {
  const { query, skip = 0, selection } = start
  const { isWithin, near } = criteria
  const found: SearchResult[] = []
  let [remainingSkip, tested] = [skip, 0]
  const candidates = candidatesOf(db, criteria, start)
  for (;;) {
    const { done, value: batch } = await candidates.next()
    if (done) return { found, next: batch, remainingSkip }
    for (const candidate of batch) {
      tested += 1
      const { row, place } = candidate
      if (isWithin && !isWithin({ publishedAt: row.publishedAt, updatedAt: row.updatedAt, place })) continue
      if (remainingSkip > 0) remainingSkip -= 1
      else found.push(toResult(candidate, near?.metersOf.get(place ?? ''), options, selection))
      if (found.length > query.limit) return { found }
    }
    const last = batch.at(-1)
    if (last && isWithin && tested >= MAX_TESTED) return { found, next: last.position, remainingSkip }
    await yieldToEventLoop()
  }
}

function toResult(
  { row, position }: Candidate,
  distanceMeters: number | undefined,
  options: RenderOptions,
  selection: FieldSelection | undefined,
): SearchResult {
  const { id, etag, toJson, toObject } = toPetView(row, options, selection)
  if (distanceMeters === undefined) return { id, etag, position, toJson, toObject }
  return {
    id,
    // If the animal's organization moves, the distance changes although the animal does not.
    etag: `${etag} ${distanceMeters}`,
    position,
    toJson() {
      const json = toJson()
      return `${json.slice(0, -1)}${json === '{}' ? '' : ','}"distanceMeters":${distanceMeters}}`
    },
    toObject: () => ({ ...toObject(), distanceMeters }),
  }
}

const ORDERS: Partial<Record<SearchQuery['sort'], [Key, Direction]>> = {
  name: ['name', 'asc'],
  '-name': ['name', 'desc'],
  number: ['number', 'asc'],
  '-number': ['number', 'desc'],
  kennel: ['kennel', 'asc'],
  '-kennel': ['kennel', 'desc'],
  intake: ['intake', 'asc'],
  '-intake': ['intake', 'desc'],
  publishedAt: ['published', 'asc'],
  '-publishedAt': ['published', 'desc'],
  age: ['age', 'desc'],
}

/** The order of statuses in a list that is sorted by status. */
const BY_STATUS = [
  ...['available', 'pending'].map((status) => token('status', status)),
  ...[NO_STATUS, token('status', 'sold'), LEFT],
]

/** Splits a list into parts to read one after another: by status, or by whether the name has the words. */
function partsOf(
  sort: SearchQuery['sort'],
  tokenQuery: TokenQuery,
  inName: Criteria['inName'],
): TokenQuery[] {
  const { clauses } = tokenQuery
  if (sort === 'status' || sort === '-status') {
    const parts = BY_STATUS.map((status) => ({ clauses: [...clauses, { tokens: [status] }] }))
    return sort === 'status' ? parts : parts.reverse()
  }
  // Animals with the words in their name come first, then all others.
  if (sort === '-id' && inName)
    return [
      { ...tokenQuery, clauses: [...inName, ...clauses] },
      { ...tokenQuery, without: inName },
    ]
  return [tokenQuery]
}

/** Reads animals that have the tokens, in the order of the query. */
async function* candidatesOf(
  db: Db,
  criteria: Criteria,
  { query, after, skip = 0 }: SearchStart,
): Candidates {
  const { tokenQuery, inName, near, anywhere, isWithin } = criteria
  const { sort, limit } = query
  if (near && (sort === 'distance' || sort === '-distance'))
    return yield* byDistance(db, anywhere, near, { direction: sort === 'distance' ? 'asc' : 'desc', after })
  const [key, direction] = ORDERS[sort] ?? [undefined, sort === 'id' ? 'asc' : 'desc']
  const parts = partsOf(sort, tokenQuery, inName)
  const ids = query.id && [...new Set(query.id)]
  let part = key === undefined ? Number(after?.[0] ?? 0) : 0
  let reading = { key, direction, ids, after, limit: isWithin ? BATCH_SIZE : limit + 1 + skip }
  while (part < parts.length) {
    const rows = await readCandidates(db, { ...reading, tokenQuery: parts[part] as TokenQuery })
    const batch = rows.map((row) => toCandidate(key === undefined ? part : row.sortKey, row))
    yield batch
    const isLast = rows.length < reading.limit
    if (isLast) part += 1
    reading = {
      ...reading,
      after: isLast ? undefined : batch.at(-1)?.position,
      limit: isLast ? reading.limit : BATCH_SIZE,
    }
  }
  return undefined
}
