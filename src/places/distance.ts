/** Coordinates in degrees. */
export interface Point {
  latitude: number
  longitude: number
}

export const METERS_PER_MILE = 1_609.344
/** The mean radius of the Earth (IUGG). */
const EARTH_METERS = 6_371_008.8
/** The length of one degree along a meridian. */
const DEGREE_METERS = (EARTH_METERS * Math.PI) / 180

const radians = (degrees: number): number => (degrees * Math.PI) / 180

/** The great-circle distance in whole meters (haversine), also across the date line and at the poles. */
export function metersBetween(one: Point, other: Point): number {
  const north = Math.sin(radians(other.latitude - one.latitude) / 2)
  const east = Math.sin(radians(other.longitude - one.longitude) / 2)
  const cosines = Math.cos(radians(one.latitude)) * Math.cos(radians(other.latitude))
  return Math.round(2 * EARTH_METERS * Math.asin(Math.min(1, Math.hypot(north, east * Math.sqrt(cosines)))))
}

/** The range of latitudes of all points within a distance. */
export function latitudesAround({ latitude }: Point, meters: number): [from: number, to: number] {
  const degrees = meters / DEGREE_METERS
  return [latitude - degrees, latitude + degrees]
}

// The search index stores the place of an animal as one cell in each of three grids. Cells are 0.1, 1 and 2
// degrees wide. A search near a point reads a few cells, then computes the exact distance of each animal in
// them.

/** Cells per degree, the finest grid first. */
const GRIDS = { cell: 10, area: 1, zone: 0.5 } as const
type Grid = keyof typeof GRIDS

const tokenOf = (grid: Grid, latitude: number, longitude: number): string =>
  `${grid}:${latitude},${longitude}`

export function cellsOf(point: Partial<Point> | undefined): string[] {
  const { latitude, longitude } = point ?? {}
  if (latitude === undefined || longitude === undefined) return []
  return (Object.keys(GRIDS) as Grid[]).map((grid) =>
    tokenOf(grid, Math.floor(latitude * GRIDS[grid]), Math.floor(longitude * GRIDS[grid])),
  )
}

/** The maximum number of cells in a search. With more cells, reading every animal would be faster. */
const MAX_CELLS = 60
const METERS_PER_DEGREE = 111_195

/**
 * Returns the cells that cover a circle, on the finest grid that needs few enough cells. Returns undefined if
 * every grid needs too many, as at the poles.
 */
export function cellsNear(point: Point, meters: number): string[] | undefined {
  for (const grid of Object.keys(GRIDS) as Grid[]) {
    const found = cellsIn(grid, point, meters)
    if (found) return found
  }
  return undefined
}

function cellsIn(grid: Grid, point: Point, meters: number): string[] | undefined {
  const size = GRIDS[grid]
  const [south, north] = latitudesAround(point, meters + 1)
  // The maximum difference between the public and the stored coordinates of an animal, in degrees.
  const rounding = 0.006
  const [first, last] = [Math.floor((south - rounding) * size), Math.floor((north + rounding) * size)]
  const farthest = Math.max(Math.abs(south), Math.abs(north)) + rounding
  // A circle around a pole includes all longitudes.
  if (farthest >= 89) return undefined
  const reach = (meters + 1) / METERS_PER_DEGREE / Math.cos((farthest * Math.PI) / 180) + rounding
  const [west, east] = [
    Math.floor((point.longitude - reach) * size),
    Math.floor((point.longitude + reach) * size),
  ]
  if ((last - first + 1) * (east - west + 1) > MAX_CELLS) return undefined
  const found: string[] = []
  for (let latitude = first; latitude <= last; latitude += 1)
    for (let longitude = west; longitude <= east; longitude += 1)
      found.push(tokenOf(grid, latitude, wrap(longitude, 360 * size)))
  return [...new Set(found)]
}

/** Wraps a cell number around the date line. */
const wrap = (cell: number, cells: number): number =>
  ((((cell + cells / 2) % cells) + cells) % cells) - cells / 2
