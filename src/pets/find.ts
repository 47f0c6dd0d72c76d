import type { Context } from '../context.ts'
import { dialectOf, type Visible } from '../db/dialect.ts'
import { ROWS, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { pointOf } from '../organizations/locate.ts'
import { type OrganizationPlace, organizationPlaces } from '../organizations/places.ts'
import { work } from '../search/evaluate.ts'
import { type Clause, matches, type Question } from '../search/question.ts'
import type { Recent } from '../search/recent.ts'
import { keysIn, stateOf } from '../search/store.ts'
import { allTokensOf, changedAmong, type RecentReader, readSearched, recentReader } from './changed.ts'
import { type Near, nearTo, type Wanted, wantedBy } from './filters.ts'
import {
  byDistance,
  byId,
  byKey,
  type Candidate,
  type Candidates,
  type Position,
  type Search,
} from './order.ts'
import type { Picked } from './picked.ts'
import { requireBounds } from './query.ts'
import type { Show } from './row.ts'
import type { PetQuery } from './schema.ts'
import { SHOWN_COLUMNS, type Shown, type ShownRow, toShown } from './store.ts'
import { AT, placeTokenOf, token } from './tokens.ts'

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

export interface Found extends Shown {
  position: Position
}

export interface Page {
  /** One more than asked for tells that there are more. */
  found: Found[]
  /** From where to go on, where the search ended before there were enough. */
  next?: Position | undefined
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
  const { query, after } = start
  const organizations = await finder.organizations()
  const near = await nearOf(db, recent, query, organizations)
  const wanted = wantedBy(query, organizations, near)
  const search = { db, recent, work: work(MOST_WORK), highest: await highestId(db) }
  const candidates = query.id
    ? named(search, query, wanted.question, after)
    : ordered(search, query, wanted, near, after)
  return collect(db, candidates, start, { wanted, near, show })
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

const readShown = prepared<Values, ShownRow>(
  (db, fill, { rows }) =>
    db
      .selectFrom('pet')
      .select(SHOWN_COLUMNS)
      .where(
        'id',
        'in',
        Array.from({ length: Number(rows) }, (_, index) => fill(`id${index}`) as number),
      ),
  shapeOf,
)

interface Showing {
  wanted: Wanted
  near: Near | undefined
  show: Show
}

/** Takes candidates until there is a page of them, and one more. */
async function collect(db: Db, candidates: Candidates, start: Start, showing: Showing): Promise<Page> {
  const { limit } = start.query
  const found: Found[] = []
  for (;;) {
    const { done, value } = await candidates.next()
    if (done) return { found, next: value }
    for (let from = 0; from < value.length && found.length <= limit; from += ROWS)
      found.push(
        ...(await shown(db, value.slice(from, from + ROWS), limit + 1 - found.length, start, showing)),
      )
    if (found.length > limit) return { found: found.slice(0, limit + 1) }
  }
}

async function shown(
  db: Db,
  candidates: Candidate[],
  most: number,
  { picked }: Start,
  { wanted, near, show }: Showing,
): Promise<Found[]> {
  const found: Found[] = []
  for (let from = 0; from < candidates.length && found.length < most; from += most) {
    const some = candidates.slice(from, from + most)
    const rows = await readShown(
      db,
      valuesOf(
        some.map(({ id }) => ({ id })),
        {},
      ),
    )
    const byId = new Map(rows.map((row) => [row[5], row]))
    for (const { id, position } of some) {
      const row = byId.get(id)
      // Gone, or changed, since it was found.
      if (!row || !wanted.isWithin({ publishedAt: row[1], updatedAt: row[4] })) continue
      const animal = toShown(row, show, picked)
      found.push({ ...animal, position, json: near ? withDistance(animal.json, row, near) : animal.json })
    }
  }
  return found
}

function withDistance(json: string, row: ShownRow, near: Near): string {
  const [organizationId, publicPart] = [row[10], row[13]]
  const meters = near.get(placeTokenOf(publicPart, organizationId) ?? '')
  return meters === undefined
    ? json
    : `${json.slice(0, -1)}${json === '{}' ? '' : ','}"distanceMeters":${meters}}`
}
