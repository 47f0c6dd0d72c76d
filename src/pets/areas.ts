import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { OrganizationPlace } from '../organizations/places.ts'
import { takeTurns } from '../search/turns.ts'
import { atOrganization } from './near.ts'
import { textToken, token } from './tokens.ts'

/*
 * An animal that has no place of its own is where its organization is. A country has thousands of these: so
 * that a search there does not ask the index for each of them, it holds their animals under their areas too.
 */

export const AREA_TOKENS = { country: 'inCountry', region: 'inRegion' } as const
export const FILTER_OF_AREA = new Map<string, string>(
  Object.entries(AREA_TOKENS).map(([filter, area]) => [area, filter]),
)

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
  byArea: ReadonlyMap<string, { mayHold: number[]; holdsAll: number[] }>
  /** Whether it holds the animals of each organization under its areas, and under no others. */
  isUpToDate: boolean
  /** Organizations of which it may hold any. */
  held: ReadonlySet<number>
}

/** What the index holds of an organization, as search_area has it. */
export type AreaRow = [
  id: number,
  country: string | null,
  region: string | null,
  former: string,
  nextBlock: number | null,
]

export const AREA_COLUMNS = ['organization_id', 'country', 'region', 'former', 'next_block'] as const

const readAll = prepared<object, AreaRow>((db) => db.selectFrom('search_area').select(AREA_COLUMNS))

interface Kept {
  generation: number
  organizations: OrganizationPlace[]
  areas: Areas
}

/** What was last read of each store. */
const kept = new WeakMap<Db, Kept>()

/**
 * @param db the same for all searches of a service: what is read is kept for it
 * @param generation of the index, read before: a search looks at its end whether it is still the same
 * @param organizations all that there are: of others the index has only what changed since
 */
export async function areasOf(
  db: Db,
  generation: number,
  organizations: OrganizationPlace[],
): Promise<Areas> {
  const before = kept.get(db)
  if (before?.generation === generation && before.organizations === organizations) return before.areas
  const areas = await areasFrom(await readAll(db, {}), organizations)
  kept.set(db, { generation, organizations, areas })
  return areas
}

async function areasFrom(rows: AreaRow[], organizations: OrganizationPlace[]): Promise<Areas> {
  const places = new Map(organizations.map((one) => [one.id, one]))
  const byArea = new Map<string, { mayHold: number[]; holdsAll: number[] }>()
  let isUpToDate = true
  for (const [id, country, region, former, nextBlock] of rows) {
    await takeTurns()
    const place = places.get(id)
    if (!place) continue
    const isWhole = nextBlock === null
    const areas = areasAt({ country, region })
    if (!isWhole || String(areas) !== String(areasAt(place.address))) isUpToDate = false
    for (const area of new Set([...areas, ...JSON.parse(former)])) {
      const of = byArea.get(area) ?? { mayHold: [], holdsAll: [] }
      byArea.set(area, of)
      of.mayHold.push(id)
      if (isWhole) of.holdsAll.push(id)
    }
  }
  const largestFirst = [...byArea].sort(([, one], [, other]) => other.mayHold.length - one.mayHold.length)
  return { byArea: new Map(largestFirst), isUpToDate, held: new Set(rows.map(([id]) => id)) }
}

/**
 * Few tokens under which the index has the animals of some organizations, and of no others: areas, and for
 * what is left each organization.
 */
export function inFewTokens(ids: number[], { byArea, held }: Areas): string[] {
  const wanted = new Set(ids)
  const left = new Set(ids.filter((id) => held.has(id)))
  const tokens: string[] = []
  for (const [area, { mayHold, holdsAll }] of byArea) {
    if (!mayHold.every((id) => wanted.has(id)) || !holdsAll.some((id) => left.has(id))) continue
    tokens.push(area)
    for (const id of holdsAll) left.delete(id)
  }
  return [...tokens, ...[...left].map(atOrganization)]
}
