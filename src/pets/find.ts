import { dialectOf, type Visible } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { type Clause, matches, type Question } from '../search/question.ts'
import { byDistance, withoutPlaces } from './by-distance.ts'
import { readSearched } from './changed.ts'
import { collect, type Found, type Page } from './collect.ts'
import type { Filters, Wanted } from './filters.ts'
import { type Finder, searching } from './finder.ts'
import type { Near } from './near.ts'
import { byId, byKey, type Candidates, type Position, type Search } from './order.ts'
import type { Order } from './order-keys.ts'
import type { Picked } from './picked.ts'
import type { Show } from './row.ts'
import type { PetQuery } from './schema.ts'
import { findFew, sortFew } from './sort-few.ts'
import { AT, token, tokensOf } from './tokens.ts'

// The animals that fit filters of every kind, by the index of the search and what has changed since.

/**
 * What is asked for: by the list of the contract, or by a face that knows more filters. Each bounds what its
 * clients may ask for, and may add to that; how much of the index one search reads is bounded in any case.
 */
export type Asked = PetQuery & Filters

export interface Start {
  query: Asked
  picked?: Picked | undefined
  after?: Position | undefined
  /** So many behind the place are passed over. */
  skip?: number | undefined
}

/** Rows of the index that one page reads at most. */
const MOST_WORK = 60_000

export function find(finder: Finder, start: Start, show: Show): Promise<Page> {
  return finder.inTurn(() => findVisible(finder, start, show))
}

async function findVisible(finder: Finder, start: Start, show: Show): Promise<Page> {
  if (start.query.sort !== 'id') return findIn(finder.db, finder, start, show)
  let next: Position | undefined
  const { found, cutFrom }: Visible<Found> = await dialectOf(finder.db).readVisible(finder.db, async (db) => {
    const page = await findIn(db, finder, start, show)
    next = page.next
    return page.found
  })
  return { found, next: cutFrom === undefined ? next : (found.at(-1)?.position ?? start.after ?? [0, 0]) }
}

function findIn(db: Db, finder: Finder, { query, after, picked, skip }: Start, show: Show): Promise<Page> {
  return searching(
    db,
    finder,
    { filters: query, mostWork: MOST_WORK },
    ({ search, wanted, near }) => {
      const candidates = query.id
        ? named(search, query, wanted.question, after)
        : ordered(search, query, wanted, near, after)
      return collect(db, candidates, query.limit, { work: search.work, wanted, near, picked, show, skip })
    },
    ({ found }) => found.map(({ id }) => id),
  )
}

function ordered(
  search: Search,
  { sort }: PetQuery,
  { question, inName }: Wanted,
  near: Near | undefined,
  after: Position | undefined,
): Candidates {
  if (sort === 'distance') return nearest(search, question, near ?? new Map(), after)
  if (sort === 'name' || sort === 'publishedAt') return keyed(search, question, sort, 'asc', after)
  if (sort === '-publishedAt') return keyed(search, question, 'publishedAt', 'desc', after)
  if (sort === 'age')
    return byId(
      search,
      AGES.map((age) => withClause(question, age)),
      'desc',
      after,
    )
  if (sort === '-id' && inName)
    return byId(search, [withClauses(question, inName), { ...question, without: inName }], 'desc', after)
  return byId(search, [question], sort === 'id' ? 'asc' : 'desc', after)
}

async function* keyed(
  search: Search,
  question: Question,
  sort: Order,
  direction: 'asc' | 'desc',
  after: Position | undefined,
): Candidates {
  const few = question.clauses.length > 0 ? await findFew(search, question) : undefined
  if (few) return yield* sortFew(search, few, sort, (key) => key, direction, after)
  return yield* byKey(search, question, sort, direction, after)
}

/** To read one place takes as long as to read where so many animals are. */
const ANIMALS_FOR_A_PLACE = 10

async function* nearest(
  search: Search,
  question: Question,
  near: Near,
  after: Position | undefined,
): Candidates {
  const others = withoutPlaces(question, near)
  const most = near.size * ANIMALS_FOR_A_PLACE
  const few = others.clauses.length > 0 ? await findFew(search, others, most) : undefined
  if (few) return yield* sortFew(search, few, AT, (key) => near.get(key), 'asc', after)
  return yield* byDistance(search, question, near, after)
}

/** The youngest first; those of no known age are last. */
const AGES: Clause[] = ['baby', 'young', 'adult', 'senior', ''].map((age) => ({
  tokens: [token('age', age)],
}))

/** Before the others: a name has fewer words than all that tells of an animal. */
const withClauses = (question: Question, clauses: Clause[]): Question => ({
  ...question,
  clauses: [...clauses, ...question.clauses],
})
const withClause = (question: Question, clause: Clause): Question => withClauses(question, [clause])

/** Those whose ids a client names: each is looked at. */
async function* named(
  { db }: Search,
  { id: ids = [], sort }: PetQuery,
  question: Question,
  after?: Position,
): Candidates {
  const [, behind] = after ?? [0, undefined]
  const rows = await readSearched(db, [...new Set(ids)].filter(Number.isSafeInteger).map(Number))
  const found = rows.flatMap(([id, , ...row]): number[] =>
    matches(new Set(tokensOf(row)), question) ? [id] : [],
  )
  const step = sort === 'id' ? 1 : -1
  const wanted = found.filter((id) => behind === undefined || id * step > behind * step)
  yield wanted.sort((one, other) => (one - other) * step).map((id) => ({ id, position: [0, id] as const }))
  return undefined
}
