import type { Context } from '../context.ts'
import { dialectOf, type Visible } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { pointOf } from '../organizations/locate.ts'
import { type OrganizationPlace, organizationPlaces } from '../organizations/places.ts'
import { work } from '../search/evaluate.ts'
import { type Clause, matches, type Question } from '../search/question.ts'
import type { Recent } from '../search/recent.ts'
import { keysIn, stateOf } from '../search/store.ts'
import { allTokensOf, changedAmong, type RecentReader, readSearched, recentReader } from './changed.ts'
import { collect, type Found, type Page } from './collect.ts'
import { type Near, nearTo, type Wanted, wantedBy } from './filters.ts'
import { byDistance, byId, byKey, type Candidates, type Position, type Search } from './order.ts'
import type { Picked } from './picked.ts'
import { requireBounds } from './query.ts'
import type { Show } from './row.ts'
import type { PetQuery } from './schema.ts'
import { AT, token } from './tokens.ts'

// The animals that fit filters of every kind, by the index of the search and what has changed since.

/** What a search works with: made once for a service. */
export interface Finder {
  db: Db
  recent: RecentReader
  organizations(): Promise<OrganizationPlace[]>
}

/** Behind so many changes the index is brought up to date at once, and not by the next round of jobs. */
const MOST_RECENT = 1_000

export function openFinder({ db, version, write }: Pick<Context, 'db' | 'version' | 'write'>): Finder {
  const pages = () => version('pages')
  const recent = recentReader(db, pages)
  let indexing = false
  async function catchUp(): Promise<void> {
    indexing = true
    try {
      while (await write('indexAnimals'));
      recent.forget()
    } catch {
      // The job of the same name tells of it.
    } finally {
      indexing = false
    }
  }
  return {
    db,
    recent: {
      ...recent,
      async read() {
        const found = await recent.read()
        if (found.animals.size > MOST_RECENT && !indexing) void catchUp()
        return found
      },
    },
    organizations: organizationPlaces(db, pages),
  }
}

export interface Start {
  query: PetQuery
  picked?: Picked | undefined
  after?: Position | undefined
}

/** Rows of the index that one request reads at most. */
const MOST_WORK = 60_000
/** Somebody may change an animal, or the index, while it is read: so often it is read again. */
const MOST_ATTEMPTS = 4

export async function find(finder: Finder, start: Start, show: Show): Promise<Page> {
  requireBounds(start.query)
  if (start.query.sort !== 'id') return findIn(finder.db, finder, start, show)
  let next: Position | undefined
  const { found, cutFrom }: Visible<Found> = await dialectOf(finder.db).readVisible(finder.db, async (db) => {
    const page = await findIn(db, finder, start, show)
    next = page.next
    return page.found
  })
  return { found, next: cutFrom === undefined ? next : (found.at(-1)?.position ?? start.after ?? [0, 0]) }
}

async function findIn(db: Db, finder: Finder, start: Start, show: Show): Promise<Page> {
  for (let attempt = 1; ; attempt += 1) {
    const recent = await finder.recent.read()
    const page = await attemptIn(db, finder, recent, start, show)
    if (attempt === MOST_ATTEMPTS || (await isCurrent(db, recent, page.found))) return page
    finder.recent.forget()
  }
}

/** Whether nothing has changed between the index, what has changed since, and the rows. */
async function isCurrent(db: Db, recent: Recent, found: Found[]): Promise<boolean> {
  const changed = await changedAmong(
    db,
    found.map(({ id }) => id),
  )
  for (const [id, version] of changed)
    if (recent.animals.get(id)?.version !== (version ?? undefined)) return false
  return (await stateOf(db)).generation === recent.state.generation
}

async function attemptIn(db: Db, finder: Finder, recent: Recent, start: Start, show: Show): Promise<Page> {
  const { query, after, picked } = start
  const organizations = await finder.organizations()
  const near = await nearOf(db, recent, query, organizations)
  const wanted = wantedBy(query, organizations, near)
  const search = { db, recent, work: work(MOST_WORK), highest: await highestId(db) }
  const candidates = query.id
    ? named(search, query, wanted.question, after)
    : ordered(search, query, wanted, near, after)
  return collect(db, candidates, query.limit, { wanted, near, picked, show })
}

function ordered(
  search: Search,
  { sort }: PetQuery,
  { question, inName }: Wanted,
  near: Near | undefined,
  after: Position | undefined,
): Candidates {
  if (sort === 'name') return byKey(search, question, 'name', 'asc', after)
  if (sort === 'publishedAt') return byKey(search, question, 'publishedAt', 'asc', after)
  if (sort === '-publishedAt') return byKey(search, question, 'publishedAt', 'desc', after)
  if (sort === 'distance') return byDistance(search, question, near ?? new Map(), after)
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

/** The youngest first; those of no known age are last. */
const AGES: Clause[] = ['baby', 'young', 'adult', 'senior', ''].map((age) => ({
  tokens: [token('age', age)],
}))

const withClauses = (question: Question, clauses: Clause[]): Question => ({
  ...question,
  clauses: [...question.clauses, ...clauses],
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
    matches(new Set(allTokensOf(row)), question) ? [id] : [],
  )
  const step = sort === 'id' ? 1 : -1
  const wanted = found.filter((id) => behind === undefined || id * step > behind * step)
  yield wanted.sort((one, other) => (one - other) * step).map((id) => ({ id, position: [0, id] as const }))
  return undefined
}

async function nearOf(
  db: Db,
  recent: Recent,
  { near, within }: PetQuery,
  organizations: OrganizationPlace[],
): Promise<Near | undefined> {
  if (near === undefined) return undefined
  const fresh = [...recent.animals.values()].flatMap(({ keys }) => keys.get(AT) ?? [])
  const places = new Set([...(await keysIn(db, AT)), ...fresh])
  return nearTo(await pointOf(near), within * 1_000, [...places], organizations)
}

async function highestId(db: Db): Promise<number> {
  const row = await db
    .selectFrom('pet')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst()
  return Number(row?.id ?? 0)
}
