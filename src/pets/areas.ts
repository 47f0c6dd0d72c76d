import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { OrganizationPlace } from '../organizations/places.ts'
import { atOrganization } from './near.ts'
import { AREA_TOKENS, textToken, token } from './tokens.ts'

/*
 * An animal that has no place of its own is where its organization is. A country has thousands of these: so
 * that a search there does not ask the index for each of them, it holds their animals under their areas too.
 */

export interface Address {
  country?: string | null
  region?: string | null
}

/** The tokens of the areas where an organization is. */
export function areasAt({ country, region }: Address): string[] {
  return [
    ...(country ? [textToken(AREA_TOKENS.country, country)] : []),
    ...(region ? [textToken(AREA_TOKENS.region, region)] : []),
  ]
}

export const isArea = (one: string): boolean =>
  Object.values(AREA_TOKENS).some((filter) => one.startsWith(token(filter, '')))

/** Under which areas the index holds animals. */
export interface Areas {
  /** By area, the organizations of which it may hold animals there, and those of which it holds all. */
  ofAreas: ReadonlyMap<string, { some: number[]; whole: number[] }>
  /** Whether it holds the animals of each organization under its areas, and under no others. */
  areWhole: boolean
  /** Organizations of which it may hold any. */
  held: ReadonlySet<number>
}

type Row = [
  id: number,
  country: string | null,
  region: string | null,
  former: string,
  nextBlock: number | null,
]

const readAll = prepared<object, Row>((db) =>
  db.selectFrom('search_area').select(['organization_id', 'country', 'region', 'former', 'next_block']),
)

interface Kept {
  generation: number
  organizations: OrganizationPlace[]
  areas: Areas
}

/** As of the index that they are of. */
const kept = new WeakMap<Db, Kept>()

/**
 * @param generation of the index, as it was before this is asked: who gets areas of a later one learns at its
 * end that the index is another one
 * @param organizations all that there are: of another one nothing is left but what has changed since
 */
export async function areasOf(
  db: Db,
  generation: number,
  organizations: OrganizationPlace[],
): Promise<Areas> {
  const before = kept.get(db)
  if (before?.generation === generation && before.organizations === organizations) return before.areas
  const areas = areasFrom(await readAll(db, {}), organizations)
  kept.set(db, { generation, organizations, areas })
  return areas
}

function areasFrom(rows: Row[], organizations: OrganizationPlace[]): Areas {
  const places = new Map(organizations.map((one) => [one.id, one]))
  const ofAreas = new Map<string, { some: number[]; whole: number[] }>()
  let areWhole = true
  for (const [id, country, region, former, nextBlock] of rows) {
    const place = places.get(id)
    if (!place) continue
    const isWhole = nextBlock === null
    const areas = areasAt({ country, region })
    if (!isWhole || String(areas) !== String(areasAt(place.address))) areWhole = false
    for (const area of new Set([...areas, ...JSON.parse(former)])) {
      const of = ofAreas.get(area) ?? { some: [], whole: [] }
      ofAreas.set(area, of)
      of.some.push(id)
      if (isWhole) of.whole.push(id)
    }
  }
  const largestFirst = [...ofAreas].sort(([, one], [, other]) => other.some.length - one.some.length)
  return { ofAreas: new Map(largestFirst), areWhole, held: new Set(rows.map(([id]) => id)) }
}

/** Few tokens, of which in the index the animals have one that are where one of some organizations is. */
export function inFewTokens(ids: number[], { ofAreas, held }: Areas): string[] {
  const wanted = new Set(ids)
  const left = new Set(ids.filter((id) => held.has(id)))
  const tokens: string[] = []
  for (const [area, { some, whole }] of ofAreas) {
    if (!some.every((id) => wanted.has(id)) || !whole.some((id) => left.has(id))) continue
    tokens.push(area)
    for (const id of whole) left.delete(id)
  }
  return [...tokens, ...[...left].map(atOrganization)]
}
