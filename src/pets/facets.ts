import { takeTurns } from '../search/turns.ts'
import { countMatching } from './count-facets.ts'
import type { FacetName, FacetQuery, PetFacets } from './facet-schemas.ts'
import { type Finder, wantedOf } from './finder.ts'
import { mostCounted } from './most-counted.ts'
import { requireBounds } from './query.ts'
import { newTally } from './tally.ts'

/** Of one filter. */
const MAX_VALUES = 100

/** How many animals have each value of some filters: those that most have, as the newest animal has it. */
export async function facets(finder: Finder, { facet, ...filters }: FacetQuery): Promise<PetFacets> {
  requireBounds({ ...filters, limit: 1, sort: '-id' })
  const wanted = await wantedOf(finder, filters)
  const told = new Map((await finder.organizations()).map((one) => [one.id, one.told]))
  const { values, see } = newTally([...new Set(facet)] as FacetName[], told)
  const counts = await countMatching(finder.db, wanted, see)
  const named: PetFacets['facets'] = {}
  for (const [facet, counted] of values) {
    const most = await mostCounted(counted, MAX_VALUES)
    named[facet] = most.map(([, { count, written }]) => ({ value: written, count }))
    await takeTurns()
  }
  return { ...counts, facets: named }
}
