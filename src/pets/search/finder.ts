import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { prepared } from '../../db/prepared.ts'
import type { Db } from '../../db/tables.ts'
import { pointOf } from '../../organizations/locate.ts'
import { type OrganizationPlace, organizationPlaces } from '../../organizations/places.ts'
import { type Filters, type Wanted, wantedBy } from './filters.ts'
import { nearTo } from './near.ts'

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
