import type { OrganizationPlace } from '../organizations/places.ts'
import { takeTurns } from '../search/turns.ts'
import { fold } from '../search/words.ts'
import { readSearched } from './changed.ts'
import { type Counts, countFacets } from './count-facets.ts'
import type { FacetName, FacetQuery, PetFacets } from './facet-schemas.ts'
import { type Finder, searching } from './finder.ts'
import { mostCounted } from './most-counted.ts'
import type { Search } from './order.ts'
import { requireBounds } from './query.ts'
import { type SearchedRow, textsOf } from './tokens.ts'

/** Rows of the index that one request reads at most. */
const MOST_WORK = 200_000
/** Of one filter. */
const MOST_VALUES = 100

/** How many animals have each value of some filters. */
export async function facets(finder: Finder, { facet, ...filters }: FacetQuery): Promise<PetFacets> {
  requireBounds({ ...filters, limit: 1, sort: '-id' })
  const wantedFacets = [...new Set(facet)] as FacetName[]
  const { counts, named } = await finder.inTurn(() =>
    searching(
      finder.db,
      finder,
      { filters, mostWork: MOST_WORK },
      async ({ search, wanted, ...places }) => {
        const counts = await countFacets(search, wanted, wantedFacets, places)
        return { counts, named: await namedCounts(search, counts, places.organizations) }
      },
      ({ counts }) => counts.lookedAt,
    ),
  )
  const { matches, approximate } = counts
  return { matches, approximate, facets: named }
}

/** Those that most have, as the newest animal with each has it. */
async function namedCounts(
  { db }: Pick<Search, 'db'>,
  { values }: Counts,
  organizations: OrganizationPlace[],
): Promise<Record<string, { value: string; count: number }[]>> {
  const told = new Map(organizations.map((one) => [String(one.id), one.told]))
  const named: Record<string, { value: string; count: number }[]> = {}
  for (const [facet, counts] of values) {
    const most = await mostCounted(counts, MOST_VALUES)
    const rows = await readSearched(db, [...new Set(most.map(([, { newest }]) => newest))])
    const byId = new Map(rows.map(([id, , ...row]) => [id, row as SearchedRow]))
    named[facet] = most.map(([value, { count, newest }]) => {
      const texts = textsOf(facet, byId.get(newest), told)
      return { value: texts.find((text) => fold(text) === value) ?? value, count }
    })
    await takeTurns()
  }
  return named
}
