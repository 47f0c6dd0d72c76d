import type { Context } from '../context.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { pointOf } from '../organizations/locate.ts'
import { type OrganizationPlace, organizationPlaces } from '../organizations/places.ts'
import { fewAtOnce } from '../search/few-at-once.ts'
import { keysIn } from '../search/orders.ts'
import type { Recent } from '../search/recent.ts'
import { type IndexState, stateOf } from '../search/state.ts'
import { takeTurns } from '../search/turns.ts'
import { work } from '../search/work.ts'
import { areasOf } from './areas.ts'
import { changedAmong, highestId, type RecentReader, recentReader } from './changed.ts'
import { type Filters, type Places, type Wanted, wantedBy } from './filters.ts'
import { type Near, nearTo } from './near.ts'
import type { Search } from './order.ts'
import { catchUp } from './search-index.ts'
import { AT } from './tokens.ts'

/** What searches work with: made once for a service. */
export interface Finder {
  db: Db
  recent: RecentReader
  organizations(): Promise<OrganizationPlace[]>
  /** Runs a search, or lets it wait. Not within another one, which would wait for itself. */
  inTurn: ReturnType<typeof fewAtOnce>
}

/**
 * They share one event loop: side by side each would take as long as all of them, and on PostgreSQL hold a
 * connection for as long.
 */
const SEARCHES_AT_ONCE = 4

const opened = new WeakMap<object, Finder>()

/** One for all faces of a service: what it keeps of changes is kept once. */
export function finderOf(context: Pick<Context, 'db' | 'version' | 'write'>): Finder {
  const finder = opened.get(context) ?? openFinder(context)
  opened.set(context, finder)
  return finder
}

function openFinder({ db, version, write }: Pick<Context, 'db' | 'version' | 'write'>): Finder {
  const pages = () => version('pages')
  let indexing = false
  const recent = recentReader(db, pages, () => {
    if (!indexing) void takeIn()
  })
  async function takeIn(): Promise<void> {
    indexing = true
    try {
      await catchUp(write)
      recent.forget()
    } catch {
      // The job of the same name tells of it.
    } finally {
      indexing = false
    }
  }
  return {
    db,
    recent,
    organizations: organizationPlaces(db, pages),
    inTurn: fewAtOnce(SEARCHES_AT_ONCE),
  }
}

/** All that one search needs, as of one moment. */
export interface Prepared extends Places {
  search: Search
  wanted: Wanted
}

/** Somebody may change an animal, or the index, while a search reads: so often it reads again. */
const MOST_ATTEMPTS = 4

interface Asked {
  filters: Filters & { within: number }
  /** Rows of the index that it reads at most. */
  mostWork: number
}

/**
 * Searches until nothing changed meanwhile between the index, what has changed since, and the rows.
 *
 * @param idsIn the animals that a result shows
 * @throws {ApiError} invalid_parameter when `near` names no place
 */
export async function searching<Result>(
  db: Db,
  finder: Finder,
  { filters, mostWork }: Asked,
  attempt: (prepared: Prepared) => Promise<Result>,
  idsIn: (result: Result) => number[],
): Promise<Result> {
  for (let count = 1; ; count += 1) {
    await takeTurns()
    const recent = await finder.recent.read()
    if (!isBuilt(recent.state)) {
      // It may be, before any animal changes again.
      finder.recent.forget()
      throw notBuilt(recent.state)
    }
    const organizations = await finder.organizations()
    const near = await nearOf(finder.db, recent, filters, organizations)
    const search = { db, recent, work: work(mostWork), highest: await highestId(db) }
    const places = {
      organizations,
      areas: await areasOf(finder.db, recent.state.generation, organizations),
      near,
    }
    const result = await attempt({ ...places, search, wanted: wantedBy(filters, places) })
    if (count === MOST_ATTEMPTS || (await isCurrent(db, recent, idsIn(result)))) return result
    finder.recent.forget()
  }
}

const isBuilt = ({ backfillFrom, backfillTo }: IndexState): boolean => backfillFrom > backfillTo

/** Of a store from before the index, or while it is made anew: what it does not know would not be found. */
function notBuilt({ backfillFrom, backfillTo }: IndexState): ApiError {
  const cause = new Error(
    `the index of the search is being built: ${backfillFrom - 1} of ${backfillTo} animals`,
  )
  return new ApiError('service_unavailable', { cause })
}

async function isCurrent(db: Db, recent: Recent, ids: number[]): Promise<boolean> {
  for (const [id, version] of await changedAmong(db, ids))
    if (recent.animals.get(id)?.version !== (version ?? undefined)) return false
  return (await stateOf(db)).generation === recent.state.generation
}

async function nearOf(
  db: Db,
  recent: Recent,
  { near, within }: Asked['filters'],
  organizations: OrganizationPlace[],
): Promise<Near | undefined> {
  if (near === undefined) return undefined
  const fresh = [...recent.animals.values()].flatMap(({ keys }) => keys.get(AT) ?? [])
  const known = await keysIn(db, AT, recent.state.generation)
  return nearTo(await pointOf(near), within * 1_000, { known, fresh, organizations })
}
