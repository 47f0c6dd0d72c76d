import type { OrganizationPlace } from '../../organizations/places.ts'
import { latitudesAround, metersBetween, type Point } from '../../places/distance.ts'
import { takeTurns } from '../../search/turns.ts'
import { AT, atOrganization } from './tokens.ts'

/** Where somebody looks, and how far places are from there, in whole metres, that are near enough. */
export interface Near {
  point: Point
  /** How far is near enough. */
  meters: number
  /** By the tokens of places. */
  metersOf: ReadonlyMap<string, number>
}

type Place = readonly [token: string, point: Point]

/** By the whole degree of latitude that they are in, so that most are not looked at. */
type Bands = Map<number, Place[]>

/** As long as the index knows the same places. */
const known = new WeakMap<readonly string[], Bands>()

const PLACE_BATCH_SIZE = 1_000

async function bandsOf(tokens: readonly string[]): Promise<Bands> {
  const before = known.get(tokens)
  if (before) return before
  const bands: Bands = new Map()
  for (let from = 0; from < tokens.length; from += PLACE_BATCH_SIZE) {
    for (const place of placesOf(tokens.slice(from, from + PLACE_BATCH_SIZE))) {
      const degree = Math.floor(place[1].latitude)
      const band = bands.get(degree)
      if (band) band.push(place)
      else bands.set(degree, [place])
    }
    await takeTurns()
  }
  known.set(tokens, bands)
  return bands
}

/** The places among tokens. */
function placesOf(tokens: string[]): Place[] {
  return tokens.flatMap((one): Place[] => {
    const [filter, at = ''] = one.split(':')
    const [latitude = 0, longitude = 0] = at.split(',').map(Number)
    return filter === AT ? [[one, { latitude, longitude }]] : []
  })
}

interface KnownPlaces {
  /** Tokens of all places that animals have, or had, for themselves. */
  known: readonly string[]
  organizations: OrganizationPlace[]
}

/** @param meters how far is near enough */
export async function nearTo(point: Point, meters: number, places: KnownPlaces): Promise<Near> {
  const metersOf = new Map<string, number>()
  // A metre more, since distances are rounded.
  const [south, north] = latitudesAround(point, meters + 1)
  const look = ([place, there]: Place): void => {
    if (there.latitude < south || there.latitude > north) return
    const distance = metersBetween(point, there)
    if (distance <= meters) metersOf.set(place, distance)
  }
  const bands = await bandsOf(places.known)
  for (let degree = Math.floor(south); degree <= north; degree += 1) {
    for (const place of bands.get(degree) ?? []) look(place)
    await takeTurns()
  }
  for (const { id, point: there } of places.organizations) if (there) look([atOrganization(id), there])
  return { point, meters, metersOf }
}
